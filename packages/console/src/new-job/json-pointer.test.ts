import { expect, test } from "vitest";
import { withoutParts } from "./json-pointer.ts";

test.each<[string, unknown, string[], unknown]>([
  ["nothing", { a: 1 }, [], { a: 1 }],
  ["a key", { a: 1, password: "[redacted]" }, ["/password"], { a: 1 }],
  ["a deep key", { a: { b: 1, c: 2 }, ab: 3 }, ["/a/b"], { a: { c: 2 }, ab: 3 }],
  ["items of a list", { a: [1, 2, 3, { k: 4, l: 5 }] }, ["/a/0", "/a/2", "/a/3/k"], { a: [2, { l: 5 }] }],
  ["an escaped key", { "a/b": { "~": 1, x: 2 } }, ["/a~1b/~0"], { "a/b": { x: 2 } }],
  ["the whole", { a: 1 }, [""], undefined],
  ["what is not there", { a: null }, ["/a/b"], { a: null }],
])("%s is left out", (_name, value, pointers, left) => {
  expect(withoutParts(value, pointers)).toEqual(left);
});
