import { expect, test } from "vitest";
import { z } from "zod";
import type { ChildItem } from "../../jobs/adding/fan-out.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { encodeChildren } from "./encoded-children.ts";

const pages = definePipeline("pages").stage("read", () => 1);
const children = (items: readonly ChildItem[]) => items.map((item) => ({ pipeline: pages, item }));

test("children become JSON arrays of at most a thousand", async () => {
  const items = Array.from({ length: 1_001 }, (_, n) => ({ payload: { n }, priority: 5 }));
  const chunks = await encodeChildren(children(items));
  expect(chunks.map((chunk) => JSON.parse(chunk).length)).toEqual([1_000, 1]);
  expect(JSON.parse(chunks[1] ?? "")).toEqual([{ pipeline: "pages", payload: { n: 1_000 }, priority: 5 }]);
});

test("large children go in smaller arrays", async () => {
  const items = Array.from({ length: 25 }, () => ({ payload: "x".repeat(200_000) }));
  const chunks = await encodeChildren(children(items));
  expect(chunks.map((chunk) => JSON.parse(chunk).length)).toEqual([19, 6]);
});

test("no children are one empty array", async () => {
  expect(await encodeChildren([])).toEqual(["[]"]);
});

test.each(["id", "dedupKey"])("a child with %s is refused", async (name) => {
  const item = { payload: 1, [name]: "0190b0a0-0000-7000-8000-000000000000" };
  await expect(encodeChildren(children([item]))).rejects.toThrow(`A child of a fan-out takes no "${name}".`);
});

test("a payload that the children's pipeline refuses is refused", async () => {
  const numbers = definePipeline("numbers", { payload: z.number() }).stage("read", () => 1);
  await expect(encodeChildren([{ pipeline: numbers, item: { payload: "one" } }])).rejects.toThrow();
});

test("a branch goes with its name and policy, and without a payload if it gets its parent's", async () => {
  const branch = { pipeline: pages, branch: "logo", onFailure: "ignore" } as const;
  const [chunk] = await encodeChildren([
    { ...branch, item: null },
    { ...branch, item: { payload: 1, priority: 5 } },
  ]);
  expect(JSON.parse(chunk ?? "")).toEqual([
    { pipeline: "pages", branch: "logo", onFailure: "ignore" },
    { pipeline: "pages", payload: 1, priority: 5, branch: "logo", onFailure: "ignore" },
  ]);
});
