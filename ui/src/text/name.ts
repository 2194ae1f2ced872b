// Parts of a method's source name, for dimming and for groups: `Ns.Outer.Inner<T>.Name(int, string) (async)`.

export interface NameParts {
  /** `Ns.Outer.`, with its last dot. */
  space: string;
  /** `Inner<T>.Name` */
  main: string;
  /** `(int, string) (async)` */
  rest: string;
}

/** Where the parameters begin: at the bracket that the last one closes, if no space is before it. A name of F# may be
 * `gives 3 (three)`. */
function parametersAt(name: string): number {
  const kind = / \((async|iterator|async iterator)\)$/.exec(name)?.index ?? name.length;
  let depth = 0;
  for (let at = kind - 1; at > 0 && name[kind - 1] === ")"; at--) {
    depth += name[at] === ")" ? 1 : name[at] === "(" ? -1 : 0;
    if (depth === 0) {
      return name[at - 1] === " " ? kind : at;
    }
  }
  return kind;
}

/** Positions of the dots outside of brackets before the parameters, and where these begin. A name of F# may close brackets
 * that it does not open (`a->b`). */
function scan(name: string): { dots: number[]; end: number } {
  const end = parametersAt(name);
  const dots: number[] = [];
  let depth = 0;
  for (let at = end - 1; at >= 0; at--) {
    const letter = name[at] as string;
    depth += ">])".includes(letter) ? 1 : "<[(".includes(letter) ? -1 : 0;
    depth = Math.max(0, depth);
    if (depth === 0 && letter === ".") {
      dots.unshift(at);
    }
  }
  return { dots: depth > 0 ? everyDot(name, end) : dots, end };
}

function everyDot(name: string, end: number): number[] {
  return [...name.slice(0, end).matchAll(/\./g)].map((match) => match.index);
}

/** The dots that divide: of `A..ctor` the first only. */
function dividers(name: string, dots: number[]): number[] {
  return dots.filter((at, index) => at > 0 && !(index > 0 && dots[index - 1] === at - 1 && name[at - 1] === "."));
}

export function splitName(name: string): NameParts {
  if (name.startsWith("(") || name.length > 4000) {
    return { space: "", main: name, rest: "" };
  }
  const { dots, end } = scan(name);
  const divide = dividers(name, dots);
  const cut = divide.length >= 2 ? (divide[divide.length - 2] as number) + 1 : 0;
  return { space: name.slice(0, cut), main: name.slice(cut, end), rest: name.slice(end) };
}

/** The type that a method belongs to: by its kind, one or two parts of its name follow the type. */
export function classOf(name: string, kind: string): string {
  if (name.startsWith("(") || name.length > 4000) {
    return name;
  }
  const { dots, end } = scan(name);
  const divide = dividers(name, dots);
  const parts = divide.map((at, index) => name.slice(at + 1, divide[index + 1] ?? end));
  let strip = kind === "accessor" || kind === "local" ? 2 : 1;
  if (kind === "lambda") {
    strip = 1 + parts.filter((part) => part.startsWith("lambda#")).length;
  }
  const cut = divide[Math.max(0, divide.length - strip)];
  return cut === undefined ? "(no type)" : name.slice(0, cut);
}

/** Whether * and ? make the pattern cover the whole text; time is at most the product of both lengths. */
export function matches(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let mark = 0;
  let next = 0;
  while (at < text.length) {
    if (next < pattern.length && pattern[next] === "*") {
      star = next++;
      mark = at;
    } else if (next < pattern.length && (pattern[next] === "?" || pattern[next] === text[at])) {
      next++;
      at++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++mark;
    } else {
      return false;
    }
  }
  while (pattern[next] === "*") {
    next++;
  }
  return next === pattern.length;
}

/** A test of names, whatever their case. Without * and ? a part of the name is enough; the parameters may be left out. */
export function globTest(pattern: string): (text: string) => boolean {
  const lower = pattern.toLowerCase();
  if (!/[*?]/.test(pattern)) {
    return (text) => text.toLowerCase().includes(lower);
  }
  return (text) => {
    const low = text.slice(0, 10_000).toLowerCase();
    const { main, space } = splitName(low);
    return matches(lower, low) || matches(lower, space + main);
  };
}
