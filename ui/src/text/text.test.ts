import { expect, test } from "vitest";
import { bounded, visible } from "./foreign";
import { bytes, count, plain, share, significant, time } from "./format";
import { classOf, globTest, matches, splitName } from "./name";

test("times have four digits at most", () => {
  const shown = [0, 7, 999, 1000, 1234, 412_912_345, 999_999_999, 61_500_000_000].map((ns) => plain(time(ns)));
  expect(shown).toEqual(["0 ns", "7 ns", "999 ns", "1.000 µs", "1.234 µs", "412.9 ms", "1.000 s", "61.50 s"]);
  expect(plain(time(null))).toBe("–");
});

test("counts are whole below a million", () => {
  expect(plain(count(12_431))).toBe("12\u2009431");
  expect(plain(count(12_431_004))).toBe("12.43 M");
  expect(plain(bytes(1536))).toBe("1.500 KiB");
  expect(plain(share(0, 10))).toBe("0.0 %");
  expect(plain(share(1, 100_000))).toBe("<0.1 %");
  expect(plain(share(1, 0))).toBe("–");
  expect(significant(99_999)).toBe("99\u2009999");
});

test("names are split at the type", () => {
  expect(splitName("Ns.Outer.Inner<A.B>.Name(int, string)")).toEqual({
    space: "Ns.Outer.",
    main: "Inner<A.B>.Name",
    rest: "(int, string)",
  });
  expect(splitName("Ns.Type..ctor(int)")).toEqual({ space: "Ns.", main: "Type..ctor", rest: "(int)" });
  expect(splitName("(JIT)")).toEqual({ space: "", main: "(JIT)", rest: "" });
  expect(splitName("")).toEqual({ space: "", main: "", rest: "" });
  expect(splitName("<<<.").main).toBe("<<<.");
});

test("names of F# may have any character", () => {
  const main = (name: string) => splitName(name).main;
  expect(main("Shop.Hurt.</script><img src=x>(int)")).toBe("Hurt.</script><img src=x>");
  expect(main("Shop.Hurt.gives 3 (three)(int)")).toBe("Hurt.gives 3 (three)");
  expect(main("Shop.Hurt.x<y(int) (async)")).toBe("Hurt.x<y");
  expect(main("Shop.Hurt.a->b(int)")).toBe("Hurt.a->b");
  expect(splitName("Shop.Hurt.a->b(int)").rest).toBe("(int)");
});

test("classes come from names and kinds", () => {
  expect(classOf("Ns.Type.Name(A.B)", "method")).toBe("Ns.Type");
  expect(classOf("Ns.Type..ctor(A.B)", "constructor")).toBe("Ns.Type");
  expect(classOf("Ns.Type.Prop.get()", "accessor")).toBe("Ns.Type");
  expect(classOf("Ns.Type.M.lambda#1(int)", "lambda")).toBe("Ns.Type");
  expect(classOf("Main", "method")).toBe("(no type)");
});

test("patterns", () => {
  expect(globTest("Cart")("Shop.Cart.Add(int)")).toBe(true);
  expect(globTest("Shop.*.Add")("Shop.Cart.Add(int)")).toBe(true);
  expect(globTest("Shop.?art.Add")("Shop.Dart.Remove(int)")).toBe(false);
  expect(matches("*a*a*a*a*b", "a".repeat(20_000))).toBe(false);
});

test("foreign text shows what cannot be seen", () => {
  expect(visible("a\u0000\u001b\u202e\u2028\u200bb\ud800")).toBe("a\\u0000\\u001B\\u202E\\u2028\\u200Bb\\uD800");
  expect(visible("</script> \u{1f600} é")).toBe("</script> \u{1f600} é");
  expect(bounded("x".repeat(1 << 20)).length).toBeLessThan(500);
});
