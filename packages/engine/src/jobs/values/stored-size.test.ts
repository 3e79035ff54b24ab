import { expect, test } from "vitest";
import { mostStoredBytesPerCharacter, storedBytes } from "./stored-size.ts";

// On the right, what PostgreSQL shows for the value as jsonb.
test.each<[unknown, string]>([
  [null, "null"],
  [true, "true"],
  [12.5, "12.5"],
  ["a,b:c", '"a,b:c"'],
  ['a"b,c\\', '"a\\"b,c\\\\"'],
  [[1, 2, 3], "[1, 2, 3]"],
  [{ a: { b: [] }, c: "1e21" }, '{"a": {"b": []}, "c": "1e21"}'],
  ["é€😀", '"é€😀"'],
  [1e21, `1${"0".repeat(21)}`],
  [-1.25e22, `-125${"0".repeat(20)}`],
  [Number.MAX_VALUE, `17976931348623157${"0".repeat(292)}`],
  [1e-7, "0.0000001"],
  [-1.25e-7, "-0.000000125"],
  [Number.MIN_VALUE, `0.${"0".repeat(323)}5`],
  [[1e21, false, 1e-7], `[1${"0".repeat(21)}, false, 0.0000001]`],
])("%j takes as many bytes as %j", (value, shown) => {
  expect(storedBytes(JSON.stringify(value))).toBe(Buffer.byteLength(shown));
});

test("a character never takes more bytes than is said", () => {
  for (const number of [Number.MIN_VALUE, 1e-300, 1e308, Number.MAX_VALUE]) {
    const json = JSON.stringify(Array.from({ length: 1_000 }, () => number));
    expect(storedBytes(json) / json.length).toBeLessThan(mostStoredBytesPerCharacter);
  }
});
