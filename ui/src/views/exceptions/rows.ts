// Exceptions as rows of a table: by type, or by place of the throw and of the catch.
import type { ExceptionRow, ExceptionType } from "../../data/events";
import { shortType } from "../story/rows";

export interface Row {
  type: string | null;
  count: number;
  caught: number;
  /** Of a place: where it was thrown and caught. null: of a type, or of none. */
  place: ExceptionRow | null;
}

export function ofTypes(types: readonly ExceptionType[]): Row[] {
  return types.map(({ type, thrown, caught }) => ({ type, count: thrown, caught, place: null }));
}

/** type: of these exceptions alone. */
export function ofPlaces(rows: readonly ExceptionRow[], type: string | null): Row[] {
  return rows
    .filter((row) => type === null || row.type === type)
    .map((row) => ({ type: row.type, count: row.count, caught: row.caught ? row.count : 0, place: row }));
}

export function typeText(row: Row): string {
  return row.type === null ? "type not known" : shortType(row.type);
}

/** Where an exception was thrown: before the method's name, and the name; null: below no recorded method. */
export function thrownAt(row: ExceptionRow): { before: string; method: string | null } {
  return row.method
    ? { before: row.below ? "below " : "", method: row.method }
    : { before: "below no recorded method", method: null };
}

/** The same of the catch. */
export function caughtAt(row: ExceptionRow): { before: string; method: string | null } {
  if (!row.caught) {
    return { before: "not caught", method: null };
  }
  return row.caught_method
    ? { before: row.caught_below ? "below " : "", method: row.caught_method }
    : { before: "below no recorded method", method: null };
}

export function messageText(row: ExceptionRow): string {
  const message = row.message ?? "";
  return message.length < (row.message_length ?? 0) ? `${message}...` : message;
}

/** Everything of a row that a person can search for. */
export function texts(row: Row): string[] {
  const place = row.place;
  return [row.type ?? "", place?.method ?? "", place?.caught_method ?? "", place?.message ?? ""];
}

export function rowKey(row: Row): string {
  const place = row.place;
  return place
    ? [row.type, place.method, place.below, place.caught, place.caught_method, place.caught_below].join(" ")
    : (row.type ?? "");
}

export function total(rows: readonly Row[]): { count: number; caught: number } {
  return rows.reduce((sum, row) => ({ count: sum.count + row.count, caught: sum.caught + row.caught }), {
    count: 0,
    caught: 0,
  });
}

function compare(a: Row, b: Row, name: string): number {
  switch (name) {
    case "type":
      return (a.type ?? "").localeCompare(b.type ?? "", "en");
    case "thrown":
      return (a.place?.method ?? "").localeCompare(b.place?.method ?? "", "en");
    case "in":
      return (a.place?.caught_method ?? "").localeCompare(b.place?.caught_method ?? "", "en");
    case "caught":
      return b.caught - a.caught;
    default:
      return b.count - a.count;
  }
}

/** Numbers: the largest first; names: A first. down false: the other way. Equal rows keep their order. */
export function sortRows(rows: readonly Row[], name: string, down: boolean): Row[] {
  return [...rows].sort((a, b) => compare(a, b, name) * (down ? 1 : -1));
}
