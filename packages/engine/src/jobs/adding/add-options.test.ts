import { describe, expect, test } from "vitest";
import { AddOptionError, type AddOptions, checkAddOptions } from "./add-options.ts";

test.each<[string, AddOptions]>([
  ["none", {}],
  ["undefined ones", { priority: undefined, scheduledFor: undefined, dedupKey: undefined }],
  ["the first priority", { priority: 1 }],
  ["the last priority", { priority: 20 }],
  ["a time", { scheduledFor: new Date() }],
  ["a time that is past", { scheduledFor: new Date(0) }],
  ["a key of 255 bytes", { dedupKey: `${"ü".repeat(127)}a` }],
  ["twenty tags", { tags: new Array(20).fill("tag") }],
  ["a mode of the key", { dedupKey: "k", dedup: { debounceMs: 5, atMostMs: 10 } }],
  ["a time to start by after its time", { scheduledFor: new Date(1), startBy: new Date(2) }],
  ["an id", { id: "0190B0A0-0000-7000-8000-00000000000a" }],
])("%s can be used", (_what, options) => {
  expect(() => checkAddOptions(options)).not.toThrow();
});

describe("refused with a sentence", () => {
  const text = /must be text without NUL characters and half surrogates/;
  test.each<[string, unknown, RegExp]>([
    ["no object", 5, /options of an add must be an object/],
    ["nothing", null, /options of an add must be an object/],
    [
      "an unknown option",
      { dedupkey: "a" },
      /^Unknown option "dedupkey" of an add. Did you mean "dedupKey"\?$/,
    ],
    ["an unknown option unlike any", { zzzzzz: 1 }, /^Unknown option "zzzzzz" of an add\.$/],
    ["an inherited name", { constructor: 1 }, /Unknown option "constructor"/],
    ["priority 0", { priority: 0 }, /^priority must be a whole number from 1 \(first\) to 20\.$/],
    ["priority 21", { priority: 21 }, /priority/],
    ["half a priority", { priority: 1.5 }, /priority/],
    ["a priority as text", { priority: "5" }, /priority/],
    ["a time as text", { scheduledFor: "2026-01-01" }, /scheduledFor must be a valid Date/],
    ["a time that is none", { scheduledFor: new Date(Number.NaN) }, /scheduledFor/],
    ["a time after the year 9999", { scheduledFor: new Date(8e15) }, /scheduledFor/],
    ["a time before the year 1", { scheduledFor: new Date(-8e15) }, /scheduledFor/],
    ["an empty key", { dedupKey: "" }, /dedupKey must have 1 to 255 bytes, not 0/],
    ["a key of 256 bytes", { dedupKey: "ü".repeat(128) }, /dedupKey must have 1 to 255 bytes, not 256/],
    ["a key with NUL", { dedupKey: "a\0" }, text],
    ["an owner with half a surrogate pair", { owner: "\ud800" }, text],
    ["an owner that is no text", { owner: 7 }, text],
    ["twenty-one tags", { tags: new Array(21).fill("t") }, /tags must be at most 20 texts/],
    ["an empty tag", { tags: [""] }, /tags/],
    ["tags that are no list", { tags: "a" }, /tags/],
    ["a mode without a key", { dedup: { forMs: 5 } }, /^dedup is a mode of a dedupKey, and needs one\.$/],
    ["a mode that is none", { dedupKey: "k", dedup: { forMS: 5 } }, /^dedup must be one of \{ forMs \}/],
    [
      "a time for what is debounced",
      { dedupKey: "k", dedup: { debounceMs: 5 }, scheduledFor: new Date() },
      /^scheduledFor cannot be used with debounceMs/,
    ],
    [
      "a time to start by that is before its time",
      { scheduledFor: new Date(2), startBy: new Date(2) },
      /^startBy must be after scheduledFor/,
    ],
    ["an id that is no UUID", { id: "42" }, /^id must be a UUID\.$/],
  ])("%s", (_what, options, sentence) => {
    const check = () => checkAddOptions(options as AddOptions);
    expect(check).toThrow(AddOptionError);
    expect(check).toThrow(sentence);
  });
});
