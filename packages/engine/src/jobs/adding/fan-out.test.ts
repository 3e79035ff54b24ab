import { describe, expect, expectTypeOf, test } from "vitest";
import type { Children } from "../outcomes/job-outcome.ts";
import { definePipeline, type PipelineResult } from "../pipelines/pipeline.ts";
import { fanOut, fanOutOf } from "./fan-out.ts";

const page = definePipeline<{ number: number }>("page").stage(
  "print",
  ({ payload }) => `p. ${payload.number}`,
);

describe("fanOut", () => {
  test("says what children a stage ends with; the parent fails with the first of them unless told", () => {
    const items = [{ payload: { number: 1 }, priority: 2 }];
    expect(fanOutOf(fanOut(page, items))).toEqual({
      children: items.map((item) => ({ pipeline: page, item })),
      onFailure: "fail",
      output: undefined,
      returns: null,
    });
    expect(fanOutOf(fanOut(page, [], { onFailure: "ignore", output: 7 }))).toMatchObject({
      onFailure: "ignore",
      output: 7,
    });
  });

  test.each([null, undefined, "text", { pipeline: page, items: [] }, 3])("is not %j", (value) => {
    expect(fanOutOf(value)).toBeNull();
  });

  test("refuses what it cannot use with a sentence", () => {
    expect(() => fanOut("page" as never, [])).toThrow("fanOut needs a pipeline from definePipeline");
    expect(() => fanOut(page, {} as never)).toThrow("fanOut needs an array of items");
    expect(() => fanOut(page, [], { onFail: "ignore" } as never)).toThrow('Did you mean "onFailure"?');
    expect(() => fanOut(page, [], { onFailure: "hope" as never })).toThrow('"fail", "continue" or "ignore"');
    // @ts-expect-error: the payload is the pipeline's
    fanOut(page, [{ payload: { numero: 1 } }]);
    // @ts-expect-error: a twin would be somebody else's child
    fanOut(page, [{ payload: { number: 1 }, dedupKey: "a" }]);
  });
});

test("the next stage knows what the children return, and what the fan-out returned besides", () => {
  const book = definePipeline<{ pages: number }>("book")
    .stage("split", ({ payload }) =>
      payload.pages === 0 ? ("empty" as const) : fanOut(page, [{ payload: { number: 1 } }], { output: 12 }),
    )
    .stage("bind", ({ children, output }) => {
      expectTypeOf(children).toEqualTypeOf<Children<string>>();
      expectTypeOf(output).toEqualTypeOf<"empty" | number>();
      return children.results();
    })
    .stage("sell", ({ children, output }) => {
      expectTypeOf(children).toEqualTypeOf<Children<string>>();
      expectTypeOf(output).toEqualTypeOf<string[]>();
    });
  expectTypeOf<PipelineResult<typeof book>>().toEqualTypeOf<null>();
  expect(book.stages).toHaveLength(3);
});
