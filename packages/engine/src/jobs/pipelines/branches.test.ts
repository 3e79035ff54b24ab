import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { fanOutOf, runChild } from "../adding/fan-out.ts";
import type { JobOutcome } from "../outcomes/job-outcome.ts";
import { finish, giveUp } from "../outcomes/outcome.ts";
import { DefinitionError } from "./definition-error.ts";
import {
  type AnyPipeline,
  checkPipelines,
  definePipeline,
  type PipelineResult,
  withBranches,
} from "./pipeline.ts";
import type { StageOptions } from "./stage-options.ts";

const named = definePipeline("named", { payload: z.object({ name: z.string() }) });
const news = definePipeline<{ name: string }>("news")
  .stage("search", ({ payload }) => payload.name.length)
  .stage("read", ({ output }) => [output]);
const words = definePipeline<string>("words").stage("count", ({ payload }) => payload.length);

describe("the types of", () => {
  test("parallel are those of its branches, each by its policy", () => {
    const order = named
      .stage("quote", () => ({ price: 5 }))
      .parallel(
        "enrich",
        {
          logo: ({ payload, output, outputs }) => {
            expectTypeOf(outputs).toEqualTypeOf<{ readonly quote: { price: number } }>();
            expectTypeOf(payload).toEqualTypeOf<{ name: string }>();
            expectTypeOf(output).toEqualTypeOf<{ price: number }>();
            return output.price > 3 ? { url: payload.name } : giveUp("too cheap");
          },
          text: [{ maxAttempts: 1 }, async ({ payload }) => payload.name],
          news,
          length: [words, ({ payload, output }) => `${payload.name} ${output.price}`],
        },
        { onFailure: { text: "continue", news: "ignore" } },
      )
      .stage("ship", ({ output, outputs }) => {
        expectTypeOf(output.logo).toEqualTypeOf<{ url: string }>();
        expectTypeOf(output.text).toEqualTypeOf<JobOutcome<string>>();
        expectTypeOf(output.news).toEqualTypeOf<number[] | undefined>();
        expectTypeOf(output.length).toEqualTypeOf<number>();
        expectTypeOf(outputs.enrich.logo.url).toEqualTypeOf<string>();
        return output.length;
      });
    expectTypeOf<PipelineResult<typeof order>>().toEqualTypeOf<number>();
  });

  test("parallel as the last stage are the result", () => {
    const order = named.parallel("enrich", { a: () => 1, b: () => "b" }, { onFailure: "continue" });
    expectTypeOf<PipelineResult<typeof order>["a"]>().toEqualTypeOf<JobOutcome<number>>();
  });

  test("a branch that cannot take its payload do not compile", () => {
    // @ts-expect-error words takes a text
    named.parallel("enrich", { words });
    // @ts-expect-error the function does not return a text
    named.parallel("enrich", { words: [words, ({ payload }) => payload.name.length] });
  });

  test("when are what the stage returns, or what passes through", () => {
    const maybe = named
      .stage("read", () => 1)
      .stage(
        "translate",
        {
          maxAttempts: 2,
          when: ({ payload, output, outputs }) => {
            expectTypeOf(output).toEqualTypeOf<number>();
            expectTypeOf(outputs).toEqualTypeOf<{ readonly read: number }>();
            return payload.name === "" && output > 1;
          },
        },
        () => "text",
      );
    expectTypeOf<PipelineResult<typeof maybe>>().toEqualTypeOf<string | number>();
    const first = named.stage("read", { when: () => false }, () => 1);
    expectTypeOf<PipelineResult<typeof first>>().toEqualTypeOf<number | null>();
  });

  test("finish are part of the result, not of the next stage's output", () => {
    const early = named
      .stage("look", ({ payload }) => (payload.name === "" ? finish({ empty: true }) : payload.name.length))
      .stage("write", ({ output }) => {
        expectTypeOf(output).toEqualTypeOf<number>();
        return "written";
      });
    expectTypeOf<PipelineResult<typeof early>>().toEqualTypeOf<string | { empty: boolean }>();
  });

  test("runChild are what the child returns, by its policy", () => {
    const parent = named
      .stage("ask", ({ payload }) => runChild(words, payload.name))
      .stage("answer", async ({ output, children }) => {
        expectTypeOf(output).toEqualTypeOf<number>();
        expectTypeOf(await children.results()).toEqualTypeOf<number[]>();
        return output;
      });
    expectTypeOf<PipelineResult<typeof parent>>().toEqualTypeOf<number>();
    const ignoring = named.stage("ask", () => runChild(words, "a", { onFailure: "ignore" }));
    expectTypeOf<PipelineResult<typeof ignoring>>().toEqualTypeOf<number | null>();
    // @ts-expect-error words takes a text
    runChild(words, 1);
  });
});

describe("a branch", () => {
  const order = named
    .stage("quote", () => 1)
    .parallel("enrich", { logo: [{ maxAttempts: 7 }, () => 1], news });

  test("that is a handler is a pipeline of its own, defined with its parent", () => {
    const all = withBranches([news, order]);
    expect(all.map(({ name }) => name)).toEqual(["news", "named", "named:enrich:logo"]);
    expect(all[2]).toMatchObject({
      settings: { version: 1, events: false, branchOf: "named" },
      stages: [{ name: "logo", options: { maxAttempts: 7 } }],
      outputBefore: "named/quote",
    });
    expect(all[2]?.payload).toBe(named.payload);
  });

  test("that would have the name of another pipeline is refused with the engine's pipelines", () => {
    const twin = definePipeline("named:enrich:logo").stage("run", () => 1);
    expect(() => checkPipelines(withBranches([order, twin]))).toThrow(/Two pipelines are named/);
  });

  test.each<[string, () => unknown, RegExp]>([
    ["none", () => named.parallel("x", {}), /at least one branch/],
    ["no handler", () => named.parallel("x", { a: 1 } as never), /Branch "a" .* must be a handler/],
    ["a name too long", () => named.parallel("x", { ["a".repeat(95)]: () => 1 }), /pipeline name/],
    [
      "options",
      () => named.parallel("x", { a: [{ tries: 1 } as StageOptions, () => 1] }),
      /Unknown option "tries" of branch/,
    ],
    [
      "a policy",
      () => named.parallel("x", { a: () => 1 }, { onFailure: "hope" as never }),
      /onFailure of stage "x"/,
    ],
    [
      "a branch",
      () => named.parallel("x", { logo: () => 1 }, { onFailure: { lgo: "fail" } as never }),
      /"logo"/,
    ],
    [
      "an option",
      () => named.parallel("x", { a: () => 1 }, { onfailure: "fail" } as never),
      /Unknown option/,
    ],
    ["a stage's name", () => order.parallel("enrich", { a: () => 1 }), /already has a stage/],
  ])("is refused with a sentence: %s", (_, define, sentence) => {
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(sentence);
  });
});

test("when must be a function", () => {
  expect(() => named.stage("read", { when: true } as never, () => 1)).toThrow(/when of stage "read"/);
});

test("runChild refuses what is no pipeline and no policy, with a sentence", () => {
  expect(() => runChild({} as AnyPipeline, 1)).toThrow(DefinitionError);
  expect(() => runChild(words, "a", { onFailure: "hope" as never })).toThrow(/onFailure of runChild/);
  expect(fanOutOf(runChild(words, "a", { priority: 3 }))).toMatchObject({
    ...{ returns: "child", onFailure: "fail", children: [{ item: { payload: "a", priority: 3 } }] },
  });
});
