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
        {keys.scopes.map((scope) => (
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

const names: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Backspace: "⌫",
  Enter: "↵",
};
