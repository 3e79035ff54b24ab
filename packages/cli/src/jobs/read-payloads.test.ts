import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPayloads } from "./read-payloads.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lockstep-cli-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function payloadsOf(word: string | undefined, { stdin = "", isEach = false, chunk = 3 } = {}) {
  async function* chunks() {
    // Cut anywhere, also within a letter.
    const bytes = new TextEncoder().encode(stdin);
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.slice(at, at + chunk);
  }
  const payloads: unknown[] = [];
  const io = { stdin: Object.assign(chunks(), { isTTY: false }), cwd: folder };
  for await (const { payload } of readPayloads(word, { isEach }, io)) payloads.push(payload);
  return payloads;
}

test.each<[string, string | undefined, Parameters<typeof payloadsOf>[1], unknown[]]>([
  ["no word is null", undefined, {}, [null]],
  ["a word is JSON", '{"a": 1}', {}, [{ a: 1 }]],
  ["an array is one payload", "[1, 2]", {}, [[1, 2]]],
  ["each of an array is one", "[1, 2]", { isEach: true }, [1, 2]],
  ["a line on stdin", "-", { stdin: '{"a":"é"}\n' }, [{ a: "é" }]],
  ["a line without an end", "-", { stdin: "7" }, [7]],
  ["lines are one each", "-", { stdin: '{"a":1}\n\n{"a":2}\n' }, [{ a: 1 }, { a: 2 }]],
  ["a document over lines is one", "-", { stdin: '{\n "a": [\n1]\n}\n' }, [{ a: [1] }]],
  ["each of a document", "-", { stdin: "[\n1,\n2\n]", isEach: true }, [1, 2]],
  ["nothing at all", "-", { stdin: "\n" }, []],
])("%s", async (_what, word, options, payloads) => {
  expect(await payloadsOf(word, options)).toEqual(payloads);
});

test("a file is read as stdin is, and tells how far it is", async () => {
  await writeFile(join(folder, "many.jsonl"), "1\n2\n3\n");
  expect(await payloadsOf("@many.jsonl")).toEqual([1, 2, 3]);
});

test.each([
  ["a word", "{a: 1}", {}, "The payload is not JSON."],
  ["a later line", "-", { stdin: '{"a":1}\n{"a"\n' }, "Line 2 of stdin is not JSON."],
  ["a document", "-", { stdin: "{\n" }, "stdin is not JSON."],
  ["a file that is not there", "@none.json", {}, "The file none.json cannot be read."],
  ["each of what is not an array", "{}", { isEach: true }, "The payload is not an array"],
])("%s that is not JSON is refused with its place", async (_what, word, options, sentence) => {
  await expect(payloadsOf(word, options)).rejects.toThrow(sentence);
});
