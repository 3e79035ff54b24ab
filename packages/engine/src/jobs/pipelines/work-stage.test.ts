import { expect, test } from "vitest";
import { definePipeline } from "./pipeline.ts";
import { stageKey, workStagesOf } from "./work-stage.ts";

const pipeline = definePipeline("orders")
  .stage("read", () => 1)
  .stage("check", () => 2)
  .stage("send", () => 3);

test("each stage knows its number, the stage before it and the number of the next", () => {
  const ids = new Map(Object.entries({ send: 7, read: 4, check: 9 }));
  const stages = workStagesOf(pipeline, ids);
  expect(stages.map(({ id, previous, nextId }) => ({ id, previous, nextId }))).toEqual([
    { id: 4, previous: null, nextId: 9 },
    { id: 9, previous: "read", nextId: 7 },
    { id: 7, previous: "check", nextId: null },
  ]);
  expect(stages.map(stageKey)).toEqual(["orders/read", "orders/check", "orders/send"]);
});

test("a stage that a newer definition never had is not served", () => {
  const stages = workStagesOf(pipeline, new Map(Object.entries({ read: 4, send: 7 })));
  expect(stages.map(({ id, previous, nextId }) => ({ id, previous, nextId }))).toEqual([
    { id: 4, previous: null, nextId: null },
    { id: 7, previous: "check", nextId: null },
  ]);
});
