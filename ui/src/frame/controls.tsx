// Small controls of toolbars.
import type { ComponentChildren } from "preact";
import { one } from "../data/place";
import { useApp, usePlace } from "./context";

export interface Choice {
  value: string;
  label: string;
  title?: string;
}

/** A choice among few, kept under `name` in the URL; the first one is the default and is not written. */
export function Choices({ label, name, of }: { label: string; name: string; of: readonly Choice[] }) {
  const { store } = useApp();
  const now = one(usePlace(), name) ?? of[0]?.value;
  return (
    <span class="choices" role="group" aria-label={label}>
      {of.map((choice, index) => (
        <button
          key={choice.value}
          type="button"
          title={choice.title}
          aria-pressed={choice.value === now}
          onClick={() => store.set({ [name]: index === 0 ? null : choice.value })}
        >
          {choice.label}
        </button>
      ))}
    </span>
  );
}

/** On or off, kept as `name`=1 in the URL. */
export function Switch({ name, label, title }: { name: string; label: string; title?: string }) {
  const { store } = useApp();
  const on = one(usePlace(), name) === "1";
  return (
    <button
      type="button"
      class="switch"
      aria-pressed={on}
      title={title}
      onClick={() => store.set({ [name]: on ? null : "1" })}
    >
      {label}
    </button>
  );
}

export function Toolbar({ children }: { children: ComponentChildren }) {
  return (
    <div class="toolbar" role="toolbar" aria-label="View">
      {children}
    </div>
  );
}

/** A link within the page. */
export function Link({ to, class: name, title, children }: LinkProps) {
  return (
    <a href={to} class={name} title={title}>
      {children}
    </a>
  );
}

interface LinkProps {
  to: string;
  class?: string;
  title?: string;
  children: ComponentChildren;
}
