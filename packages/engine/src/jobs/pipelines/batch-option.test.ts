import { definePipeline, finish, giveUp, type PipelineResult, retryLater } from "lockstep";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { BatchContext } from "./batch-option.ts";
import { DefinitionError } from "./definition-error.ts";
import type { StageContext } from "./stage-context.ts";

const batch = { size: 10 };

describe("the types of a batch handler", () => {
  test("are those of a handler for one job, for each of its jobs and answers", () => {
    const texts = definePipeline<{ url: string }>("texts")
      .stage("read", ({ payload }) => ({ text: payload.url, at: new Date() }))
      .stage("embed", { batch, processors: 2 }, async (jobs, call) => {
        expectTypeOf(call).toEqualTypeOf<BatchContext>();
        const [first] = jobs;
        expectTypeOf(first?.payload).toEqualTypeOf<{ url: string } | undefined>();
        expectTypeOf(first?.output).toEqualTypeOf<{ text: string; at: string } | undefined>();
        expectTypeOf(first?.outputs.read.text).toEqualTypeOf<string | undefined>();
        return jobs.map(({ output }) => (output.text === "" ? giveUp("empty") : [output.text.length]));
      })
      .stage("store", ({ output, outputs }) => {
        expectTypeOf(output).toEqualTypeOf<number[]>();
        expectTypeOf(outputs.embed).toEqualTypeOf<number[]>();
        return output.length;
      });
    expectTypeOf<PipelineResult<typeof texts>>().toEqualTypeOf<number>();
    expect(texts.stages[1]).toMatchObject({ batch: { size: 10, waitMs: 50 }, options: { processors: 2 } });
  });

  test("see through promises, one answer for all, no answer, and a stage that may be skipped", () => {
    const each = definePipeline<number>("each").stage("be", { batch }, (jobs) =>
      jobs.map(async ({ payload }) => (payload === 0 ? finish("none") : { n: payload })),
    );
    expectTypeOf<PipelineResult<typeof each>>().toEqualTypeOf<string | { n: number }>();
    const none = definePipeline<number>("none").stage("be", { batch }, async () => {});
    expectTypeOf<PipelineResult<typeof none>>().toEqualTypeOf<null>();
    const all = definePipeline<number>("all").stage("be", { batch }, async (jobs) =>
      jobs.length > 5 ? retryLater() : jobs.map(({ payload }) => payload),
    );
    expectTypeOf<PipelineResult<typeof all>>().toEqualTypeOf<number>();
    const skipped = definePipeline<number>("skipped")
      .stage("read", () => "text")
      .stage("be", { batch, when: ({ output }) => output !== "" }, (jobs) =>
        jobs.map(({ output }) => output.length),
      );
    expectTypeOf<PipelineResult<typeof skipped>>().toEqualTypeOf<string | number>();
    expect([each, none, all, skipped].map(({ stages }) => stages.length)).toEqual([1, 1, 1, 2]);
  });

  test("refuse a handler of one job, and one that does not answer for each", () => {
    const one = ({ payload }: StageContext<number, undefined>) => payload;
    // @ts-expect-error it takes one job
    definePipeline<number>("wrong").stage("be", { batch }, one);
    // @ts-expect-error its answer is neither an array nor an answer for all
    definePipeline<number>("wrong").stage("be", { batch }, () => "done");
    // @ts-expect-error without batch it is called with one job
    definePipeline<number>("wrong").stage("be", {}, (jobs) => jobs.map(() => 1));
    expect(definePipeline<number>("right").stage("be", {}, one).stages).toHaveLength(1);
  });
});

test.each<[unknown, RegExp]>([
  [100, /batch of stage "be" of pipeline "p" must be an object such as \{ size: 100, waitMs: 50 \}/],
  [{}, /batch\.size of stage "be" of pipeline "p" must be a whole number from 1 to 1000/],
  [{ size: 0 }, /batch\.size/],
  [{ size: 1_001 }, /batch\.size/],
  [{ size: 10, waitMs: -1 }, /batch\.waitMs of .* must be a whole number of milliseconds from 0 to 60000/],
  [{ size: 10, waitMS: 5 }, /Unknown part "waitMS" of batch of .*waitMs/],
])("batch: %j is refused with a sentence", (wrong, sentence) => {
  const define = () => definePipeline("p").stage("be", { batch: wrong as { size: number } }, () => []);
  expect(define).toThrow(DefinitionError);
  expect(define).toThrow(sentence);
});

test("a branch has no batch handler of its own, but may be a pipeline that has", () => {
  const wrong = { be: [{ batch }, () => []] } as unknown as { be: () => void };
  expect(() => definePipeline("p").parallel("all", wrong)).toThrow(
    'Unknown option "batch" of branch "be" of stage "all" of pipeline "p"',
  );
  const embed = definePipeline<number>("embed").stage("be", { batch }, (jobs) => jobs.map(() => 1));
  expect(definePipeline<number>("p").parallel("all", { embed }).stages).toHaveLength(1);
});
