// One registry of keys: it runs them, and `?` lists them.

export interface Key {
  /** As KeyboardEvent.key gives it, "Shift+" before it where that matters: "m", "Backspace", "Shift+N". */
  key: string;
  /** What it does, for the list. */
  title: string;
  run: (event: KeyboardEvent) => void;
}

interface Scope {
  title: string;
  keys: readonly Key[];
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export class Keys {
  readonly #scopes: Scope[] = [];

  /** The later scope goes first. Returns how to remove it. */
  add(title: string, keys: readonly Key[]): () => void {
    const scope = { title, keys };
    this.#scopes.push(scope);
    return () => {
      this.#scopes.splice(this.#scopes.indexOf(scope), 1);
    };
  }

  get scopes(): readonly Scope[] {
    return this.#scopes;
  }

  handle(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) {
      return;
    }
    const onControl = event.target instanceof HTMLElement && /^(BUTTON|A|SUMMARY)$/.test(event.target.tagName);
    if (onControl && (event.key === "Enter" || event.key === " ")) {
      return;
    }
    const names = event.shiftKey ? [`Shift+${event.key}`, event.key] : [event.key];
    for (const scope of [...this.#scopes].reverse()) {
      for (const key of scope.keys) {
        if (names.includes(key.key)) {
          event.preventDefault();
          key.run(event);
          return;
        }
      }
    }
  }
}
