import { describe, expect, it } from "vitest";
import type { ValueMoment } from "../../data/events";
import { categories, changesOf, columnsOf, histogram, isNumeric, numberOf, scaleOf, textOf } from "./plot";

function moment(value: string | null, type = "System.Int32", more: Partial<ValueMoment> = {}): ValueMoment {
  return { at: "1:1:1", time_ns: 0, call: 1, method: "A.F()", line: 1, value, type, ...more };
}

describe("values as numbers", () => {
  it("are numbers of numeric types only", () => {
    expect(numberOf(moment("-12"))).toBe(-12);
    expect(numberOf(moment("1E-05", "System.Double"))).toBe(1e-5);
    expect(numberOf(moment("NaN", "System.Double"))).toBeNull();
    expect(numberOf(moment("12", "System.String"))).toBeNull();
    expect(numberOf(moment(null))).toBeNull();
  });

  it("are drawn as a line when most are, null aside", () => {
    expect(isNumeric([moment("1"), moment(null), moment("2")])).toBe(true);
    expect(isNumeric([moment("a", "System.String"), moment("1")])).toBe(false);
    expect(isNumeric([])).toBe(false);
  });

  it("have a scale with room, also when they are all the same", () => {
    const { low, high } = scaleOf([{ at: 0, value: 5 }]);
    expect(low).toBeLessThan(5);
    expect(high).toBeGreaterThan(5);
    expect(scaleOf([])).toEqual({ low: 0, high: 1 });
  });

  it("become columns that keep the extremes", () => {
    const points = [3, 9, 1, 4].map((value, index) => ({ at: index, value }));
    const columns = columnsOf(points, 0, 8, 2);
    expect([...columns.count]).toEqual([4, 0]);
    expect([columns.low[0], columns.high[0], columns.last[0]]).toEqual([1, 9, 4]);
    expect(columns.low[1]).toBeNaN();
  });
});

describe("the histogram", () => {
  it("gives each of few whole numbers a bin", () => {
    expect(histogram([1, 2, 2, 4]).map((bin) => [bin.label, bin.count])).toEqual([
      ["1", 1],
      ["2", 2],
      ["3", 0],
      ["4", 1],
    ]);
  });

  it("loses none, whatever the range", () => {
    for (const values of [[0.1, 0.2, 7.7], [5], [0, 1e12], Array.from({ length: 1000 }, (_, index) => index ** 2)]) {
      expect(histogram(values).reduce((sum, bin) => sum + bin.count, 0)).toBe(values.length);
    }
    expect(histogram([])).toEqual([]);
  });
});

describe("categories", () => {
  it("are the most frequent, and the others together", () => {
    const texts = ["a", "b", "a", ..."cdefghijk"];
    const bins = categories(texts, 3);
    expect(bins[0]).toEqual({ label: "a", count: 2 });
    expect(bins).toHaveLength(4);
    expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(texts.length);
  });
});

describe("changes", () => {
  it("are where a value differs from the one before", () => {
    expect(changesOf([moment("1"), moment("1"), moment("2"), moment(null)])).toEqual([false, false, true, true]);
  });

  it("see another object of the same type", () => {
    const object = (number: number) => moment("My.T", "My.T", { object: number });
    expect(textOf(object(3))).toBe("T #3");
    expect(changesOf([object(3), object(3), object(4)])).toEqual([false, false, true]);
  });
});
