// The requests of a row that took longest, each with its call tree.
import type { RequestRow, SlowNode, SlowRequest } from "../../data/documents";
import { one } from "../../data/place";
import { useApp, useDocument, usePlace } from "../../frame/context";
import { Ready } from "../../frame/states";
import { Count, Name, Time } from "../../frame/text";
import { count, moment } from "../../text/format";
import { treeRows } from "./rows";

const most = 10;
const mostRows = 200;

export function Slowest({ row }: { row: RequestRow }) {
  const report = useDocument("report", { by: "slowest", root: row.method, top: most });
  return (
    <section class="slowest" aria-label="The slowest requests">
      <h3>Slowest</h3>
      <Ready of={report} doing="Finding the slowest requests">
        {(value) =>
          value.slowest?.length ? (
            <List requests={value.slowest} />
          ) : (
            <p class="dim">None of them both began and ended in the recording.</p>
          )
        }
      </Ready>
    </section>
  );
}

const callOf = (request: SlowRequest) => `${request.process}:${request.call}`;

function List({ requests }: { requests: readonly SlowRequest[] }) {
  const { store } = useApp();
  const chosen = one(usePlace(), "slow");
  const open = requests.find((request) => callOf(request) === chosen) ?? requests[0];
  return (
    <div class="columns">
      <ol>
        {requests.map((request) => (
          <li key={callOf(request)} class={request === open ? "selected" : ""}>
            <button
              type="button"
              aria-pressed={request === open}
              onClick={() => store.set({ slow: callOf(request) }, "replace")}
            >
              <Time ns={request.latency_ns} />
            </button>{" "}
            <span class="dim">
              {request.began_ns !== null && `at ${moment(request.began_ns)} `}on [{request.thread}]
              {request.how !== "completed" && `, ${request.how === "faulted" ? "by exception" : "cancelled"}`}
            </span>{" "}
            <a href={store.link("story", { call: callOf(request), at: null })}>Story</a>
          </li>
        ))}
      </ol>
      {open && <Tree request={open} />}
    </div>
  );
}

function Tree({ request }: { request: SlowRequest }) {
  const { rows, left } = treeRows(request.tree, mostRows);
  return (
    <div>
      <table aria-label="Call tree of the request">
        <thead>
          <tr>
            <th>Total</th>
            <th>Awaiting</th>
            <th>Calls</th>
            <th>Method</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ node, depth }, at) => (
            <Row key={at} node={node} depth={depth} />
          ))}
        </tbody>
      </table>
      {left > 0 && <p class="dim">and {count(left).number} more rows</p>}
    </div>
  );
}

function Row({ node, depth }: { node: SlowNode; depth: number }) {
  return (
    <tr>
      <td>
        <Time ns={node.total_ns} />
      </td>
      <td>{!!node.awaiting_ns && <Time ns={node.awaiting_ns} />}</td>
      <td>
        <Count value={node.calls} of={count} />
      </td>
      <td style={{ paddingLeft: `${Math.min(depth, 40) * 12}px` }}>
        <Name name={node.method} title={node.method} />
      </td>
    </tr>
  );
}
