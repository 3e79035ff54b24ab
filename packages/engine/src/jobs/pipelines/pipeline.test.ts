import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { giveUp, retryLater, snooze } from "../outcomes/outcome.ts";
import { DefinitionError } from "./definition-error.ts";
import {
  type AnyPipeline,
  checkPipelines,
  definePipeline,
  type PipelineInput,
  type PipelinePayload,
  type PipelineResult,
} from "./pipeline.ts";
import type { StageContext } from "./stage-context.ts";

interface Site {
  title: string;
  pages: number;
}

const analysis = definePipeline("website-analysis", {
  payload: z.object({ url: z.url(), depth: z.coerce.number().default(2) }),
})
  .stage("reading", { processors: 20 }, async ({ payload, output, outputs, signal }): Promise<Site> => {
    expectTypeOf(payload).toEqualTypeOf<{ url: string; depth: number }>();
    expectTypeOf(output).toEqualTypeOf<undefined>();
    expectTypeOf(outputs).toEqualTypeOf<Record<never, never>>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return { title: payload.url, pages: payload.depth };
  })
  .stage("prompt-forming", ({ output, outputs }) => {
    expectTypeOf(output).toEqualTypeOf<Site>();
    expectTypeOf(outputs).toEqualTypeOf<{ readonly reading: Site }>();
    // @ts-expect-error a later stage's output is not there yet
    outputs["model-analysis"];
    return output.pages > 0 ? [output.title] : giveUp("the site has no pages");
  })
  .stage("model-analysis", { maxAttempts: 5 }, async ({ output, outputs }) => {
    expectTypeOf(output).toEqualTypeOf<string[]>();
    expectTypeOf(outputs).toEqualTypeOf<{ readonly reading: Site; readonly "prompt-forming": string[] }>();
    if (output.length > 9) return snooze({ forMs: 1_000 });
    if (output.length > 5) return retryLater({ afterMs: 1_000 });
    return { score: output.length, site: outputs.reading.title };
  });

describe("types go from the payload through each output to the result", () => {
  test("with a zod schema", () => {
    expectTypeOf<PipelineInput<typeof analysis>>().toEqualTypeOf<{ url: string; depth?: unknown }>();
    expectTypeOf<PipelinePayload<typeof analysis>>().toEqualTypeOf<{ url: string; depth: number }>();
    expectTypeOf<PipelineResult<typeof analysis>>().toEqualTypeOf<{ score: number; site: string }>();
    expectTypeOf(analysis).toExtend<AnyPipeline>();
    expect(analysis.stages.map((stage) => stage.name)).toEqual([
      "reading",
      "prompt-forming",
      "model-analysis",
    ]);
  });

  test("with a schema written by hand", () => {
    const countFromText: StandardSchemaV1<string, number> = {
      "~standard": { version: 1, vendor: "by-hand", validate: (value) => ({ value: Number(value) }) },
    };
    const counting = definePipeline("counting", { payload: countFromText }).stage("double", ({ payload }) => {
      expectTypeOf(payload).toEqualTypeOf<number>();
      return payload * 2;
    });
    expectTypeOf<PipelineInput<typeof counting>>().toEqualTypeOf<string>();
    expectTypeOf<PipelineResult<typeof counting>>().toEqualTypeOf<number>();
    expect(counting.payload).toBe(countFromText);
  });

  test("with a type argument and no schema", () => {
    const plain = definePipeline<{ url: string }>("plain").stage("only", ({ payload }) => {
      expectTypeOf(payload).toEqualTypeOf<{ url: string }>();
    });
    expectTypeOf<PipelineInput<typeof plain>>().toEqualTypeOf<{ url: string }>();
    expectTypeOf<PipelineResult<typeof plain>>().toEqualTypeOf<null>();
    expect(plain.payload).toBeNull();
  });

  test("with neither, the payload is unknown", () => {
    const untyped = definePipeline("untyped").stage("only", ({ payload }) => {
      expectTypeOf(payload).toEqualTypeOf<unknown>();
      return 1;
    });
    expectTypeOf<PipelineInput<typeof untyped>>().toEqualTypeOf<unknown>();
    expect(untyped.name).toBe("untyped");
  });

  test("and a handler that reads another shape is refused by the compiler", () => {
    const wrong = ({ output }: StageContext<{ url: string }, number>) => output + 1;
    // @ts-expect-error the first stage has no output of a number
    definePipeline<{ url: string }>("shapes").stage("first", wrong);
    // @ts-expect-error the option takes a number
    expect(() => definePipeline("shapes").stage("first", { processors: "ten" }, () => 1)).toThrow();
    const first = definePipeline<{ url: string }>("shapes").stage("first", () => 1);
    expect(first.stage("second", wrong).stages).toHaveLength(2);
  });
});

describe("a pipeline", () => {
  test("keeps its stages in order, with complete options and their handlers", () => {
    expect(analysis.name).toBe("website-analysis");
    expect(analysis.stages).toMatchObject([
      { options: { processors: 20, maxAttempts: 3 } },
      { options: { processors: 10, maxAttempts: 3 } },
      { options: { processors: 10, maxAttempts: 5 } },
    ]);
    const handler = () => "done";
    expect(definePipeline("p").stage("s", handler).stages[0]).toHaveProperty("handler", handler);
    expect(definePipeline("p").stage("s", {}, handler).stages[0]).toHaveProperty("handler", handler);
  });

  test("is left as it was when a stage is added to it", () => {
    const base = definePipeline("p").stage("one", () => 1);
    const left = base.stage("left", () => 1);
    const right = base.stage("right", () => 1);
    const namesOf = ({ stages }: AnyPipeline) => stages.map(({ name }) => name);
    expect([base, left, right].map(namesOf)).toEqual([["one"], ["one", "left"], ["one", "right"]]);
    expect(() => (base.stages as unknown[]).push(1)).toThrow(TypeError);
  });
});

describe("a wrong definition is refused with a sentence", () => {
  const noHandler = undefined as unknown as () => void;
  test.each<[string, () => unknown, RegExp]>([
    ["an empty name", () => definePipeline(""), /A pipeline name is 1 to 100 letters/],
    ["a name with a slash", () => definePipeline("a/b"), /"a\/b" is not one/],
    ["a name that begins with a dash", () => definePipeline("-a"), /begins with a letter or digit/],
    ["a name of 101 letters", () => definePipeline("a".repeat(101)), /is not one/],
    ["a name that is no text", () => definePipeline(7 as unknown as string), /"7" is not one/],
    ["a stage name with a space", () => definePipeline("p").stage("a b", () => 1), /A stage name/],
    [
      "two stages of one name",
      () =>
        definePipeline("p")
          .stage("a", () => 1)
          .stage("a", () => 2),
      /Pipeline "p" already has a stage "a"/,
    ],
    [
      "a stage without a handler",
      () => definePipeline("p").stage("a", {}, noHandler),
      /The handler of stage "a" of pipeline "p" must be a function/,
    ],
    [
      "an unknown stage option",
      () => definePipeline("p").stage("a", { procesors: 1 } as object, () => 1),
      /Unknown option "procesors" of stage "a" of pipeline "p". Did you mean "processors"\?/,
    ],
    [
      "an unknown pipeline option",
      () => definePipeline("p", { payloads: z.string() } as never),
      /Unknown option "payloads" of pipeline "p". Did you mean "payload"\?/,
    ],
    [
      "a payload that is no Standard Schema",
      () => definePipeline("p", { payload: { type: "object" } } as never),
      /must be a Standard Schema validator/,
    ],
  ])("%s", (_what, define, sentence) => {
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(sentence);
  });

  test.each<[string, unknown[], RegExp]>([
    ["a pipeline without stages", [definePipeline("empty")], /Pipeline "empty" has no stages/],
    ["two pipelines of one name", [analysis, analysis], /Two pipelines are named "website-analysis"/],
    ["something that is no pipeline", [{ name: "x" }], /must come from definePipeline/],
    ["nothing at all", [undefined], /must come from definePipeline/],
  ])("%s, when given to an engine", (_what, pipelines, sentence) => {
    const check = () => checkPipelines(pipelines as AnyPipeline[]);
    expect(check).toThrow(DefinitionError);
    expect(check).toThrow(sentence);
  });

  test("and right pipelines are not", () => {
    expect(() => checkPipelines([analysis, definePipeline("b").stage("s", () => 1)])).not.toThrow();
    expect(definePipeline(`a${"-".repeat(99)}`).name).toHaveLength(100);
  });
});
