import { expect, test } from "vitest";
import { framesOf } from "./stack-frames.ts";

test("frames are read from a stack, and those of packages told from one's own", () => {
  const stack = [
    "RateLimitError: 429",
    "    at callModel (file:///srv/app/src/stages/ocr.ts:88:11)",
    "    at async Client.request (/srv/app/node_modules/sdk/index.js:1:2)",
    "    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)",
    "    at file:///srv/app/main.ts:1:1",
  ].join("\n");
  expect(framesOf(stack)).toEqual([
    { call: "callModel", place: "…/src/stages/ocr.ts:88:11", isOwn: true },
    { call: "async Client.request", place: "…/node_modules/sdk/index.js:1:2", isOwn: false },
    {
      call: "process.processTicksAndRejections",
      place: "node:internal/process/task_queues:105:5",
      isOwn: false,
    },
    { call: "<anonymous>", place: "/srv/app/main.ts:1:1", isOwn: true },
  ]);
});

test("a text that is no stack has no frames", () => {
  expect(framesOf("it broke")).toEqual([]);
});
