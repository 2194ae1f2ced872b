// The list of keys, from the registry itself.
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "./context";

export function Help({ onClose }: { onClose: () => void }) {
  const { keys } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="help" aria-label="Keys" onClose={onClose}>
      <div class="help-head">
        <h2>Keys</h2>
        <button type="button" class="icon" aria-label="Close" onClick={() => dialog.current?.close()}>
          ×
        </button>
      </div>
      <div class="help-scopes">
        {[...keys.scopes, inTables].map((scope) => (
          <section key={scope.title}>
            <h3>{scope.title}</h3>
            <dl>
              {scope.keys.map((key) => (
                <div key={key.key}>
                  <dt>
                    <kbd>{names[key.key] ?? key.key.replace("Shift+", "⇧ ")}</kbd>
                  </dt>
                  <dd>{key.title}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}

/** Keys that tables and charts handle themselves, while they have the focus. */
const inTables = {
  title: "In tables and charts",
  keys: [
    { key: "↑ ↓", title: "Previous and next row, or level of frames" },
    { key: "← →", title: "Close and open a row, or walk along frames" },
    { key: "Space", title: "Open a row, or zoom to a frame" },
    { key: "Home End", title: "First and last row" },
  ],
};

const names: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Backspace: "⌫",
  Enter: "↵",
};
