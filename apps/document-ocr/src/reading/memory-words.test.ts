import { expect, test } from "vitest";
import { saysOutOfMemory } from "./memory-words.ts";

test.each([
  "<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
  "#\n# Fatal error in , line 0\n# Out of memory: HashMap::Initialize\n#",
  "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc",
  "RangeError: WebAssembly.Memory(): could not allocate memory",
  "Aborted(Cannot enlarge memory arrays)",
  "Error: spawn ENOMEM",
])("whoever is refused memory is understood: %j", (words) => {
  expect(saysOutOfMemory(words)).toBe(true);
});

test.each([
  "",
  "TypeError: Cannot read properties of undefined (reading 'pages')",
  "Error: the ROOM is locked",
])("other last words are something else: %j", (words) => {
  expect(saysOutOfMemory(words)).toBe(false);
});
