// Names, numbers and links, as all views write them.
import type { Method } from "../data/tree";
import { headKind } from "../data/tree";
import { bounded } from "../text/foreign";
import { exactTime, plain, type Quantity, digits as spaced, time as timeOf } from "../text/format";
import { splitName } from "../text/name";

/** A method's name: type and method strong, the rest dimmed; namespaces are shortened from the left. */
export function Name({ name, title }: { name: string; title?: string | undefined }) {
  const parts = splitName(name);
  return (
    <span class="name" title={title ?? bounded(name, 2000)}>
      {parts.space && (
        <span class="name-space">
          <bdi>{bounded(parts.space)}</bdi>
        </span>
      )}
      <bdi class="name-main">{bounded(parts.main)}</bdi>
      {parts.rest && <bdi class="name-rest">{bounded(parts.rest, 200)}</bdi>}
    </span>
  );
}

export function MethodName({ method }: { method: Method }) {
  if (method.kind === headKind) {
    return <span class="name name-head">{bounded(method.name)}</span>;
  }
  return (
    <>
      <i class={`dot cat-${method.category}`} aria-hidden="true" />
      <Name
        name={method.name}
        title={`${bounded(method.name, 2000)}\n${method.module ? bounded(method.module) : ""}`}
      />
    </>
  );
}

/** A number with its dimmed unit. */
export function Number_({ of, exact }: { of: Quantity; exact?: string | undefined }) {
  return (
    <span class="number" title={exact}>
      {of.number}
      <span class="unit">{of.unit ? ` ${of.unit}` : ""}</span>
    </span>
  );
}

export function Time({ ns }: { ns: number | null | undefined }) {
  return <Number_ of={timeOf(ns)} exact={exactTime(ns)} />;
}

export function Count({
  value,
  of,
}: {
  value: number | null | undefined;
  of: (value: number | null | undefined) => Quantity;
}) {
  return <Number_ of={of(value)} exact={typeof value === "number" ? spaced(value) : undefined} />;
}

/** A number before a bar that shows its share of a whole. */
export function Barred({ part, whole, kind, children }: BarProps) {
  const width = whole > 0 && part > 0 ? Math.min(100, (100 * part) / whole) : 0;
  return (
    <span class="barred">
      {width > 0 && <i class={`bar ${kind ?? ""}`} style={{ width: `${width.toFixed(2)}%` }} aria-hidden="true" />}
      {children}
    </span>
  );
}

interface BarProps {
  part: number;
  whole: number;
  kind?: string | undefined;
  children: preact.ComponentChildren;
}

export { plain };
