// In real time: these are whole engines, with their heartbeat threads and PostgreSQL's clock.
import { testDatabase } from "@lockstep/test-support";
import { type } from "arktype";
import {
  createEngine,
  definePipeline,
  InvalidPayloadError,
  type PipelineInput,
  type PipelinePayload,
  type PipelineResult,
} from "lockstep";
import * as v from "valibot";
import { beforeEach, describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";

const db = testDatabase();
beforeEach(() => db.reset());

interface Letter {
  to: { city: string };
  pages: number;
}

const seal = ({ payload }: { payload: Letter }) => `${payload.to.city} ${payload.pages}`;
const byZod = definePipeline("by-zod", {
  payload: z.object({ to: z.object({ city: z.string() }), pages: z.int().min(1).default(1) }),
}).stage("seal", seal);
const byValibot = definePipeline("by-valibot", {
  payload: v.object({
    to: v.object({ city: v.string() }),
    pages: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  }),
}).stage("seal", seal);
const byArktype = definePipeline("by-arktype", {
  payload: type({ to: { city: "string" }, pages: "number.integer >= 1 = 1" }),
}).stage("seal", seal);

const pipelines = [byZod, byValibot, byArktype];
const engineOf = () => {
  const engine = createEngine({ databaseUrl: db.url, pipelines, logger: null });
  onTestFinished(() => engine.stop());
  return engine;
};

test("what add takes, a handler gets and the result is are inferred from each validator", () => {
  expectTypeOf<PipelinePayload<typeof byZod>>().toEqualTypeOf<Letter>();
  expectTypeOf<PipelinePayload<typeof byValibot>>().toEqualTypeOf<Letter>();
  expectTypeOf<PipelinePayload<typeof byArktype>>().toEqualTypeOf<Letter>();
  type Given = { to: { city: string }; pages?: number | undefined };
  expectTypeOf<PipelineInput<typeof byZod>>().toEqualTypeOf<Given>();
  expectTypeOf<PipelineInput<typeof byValibot>>().toEqualTypeOf<Given>();
  expectTypeOf<PipelineInput<typeof byArktype>>().toEqualTypeOf<{ to: { city: string }; pages?: number }>();
  expectTypeOf<PipelineResult<(typeof pipelines)[number]>>().toEqualTypeOf<string>();
});

describe.each(pipelines)("a pipeline with a validator of $name", (pipeline) => {
  test("takes what the validator takes, and hands its defaults to the handler", async () => {
    const engine = engineOf();
    await engine.start();
    const { id } = await engine.add(pipeline, { to: { city: "Bern" } });
    expect(await engine.result(id)).toBe("Bern 1");
  });

  test("refuses the rest at the door, with the place", async () => {
    const engine = engineOf();
    const wrong = { to: { city: 7 }, pages: 0 } as never;
    const refused = await engine.add(pipeline, wrong).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidPayloadError);
    expect(refused).toMatchObject({ issues: [{ pointer: "/to/city" }, { pointer: "/pages" }] });
    expect(await db.query("select from lockstep.jobs")).toEqual([]);
  });

  test("fails a job that passed another door, without running it", async () => {
    const engine = engineOf();
    await engine.start();
    const [job] = await db.call<{ id: string }>("add_jobs", {
      p_jobs: [{ pipeline: pipeline.name, payload: { to: {} } }],
      p_payloads_are_checked: true,
    });
    await expect(engine.result(job?.id ?? "")).rejects.toThrow("/to/city");
  });
});

test("zod and arktype tell PostgreSQL what they take, which then refuses the rest; valibot does not by itself", async () => {
  await engineOf().start();
  const add = (p_pipeline: string) => db.call("add_job", { p_pipeline, p_payload: { to: { city: 7 } } });
  for (const name of ["by-zod", "by-arktype"])
    await expect(add(name)).rejects.toMatchObject({ code: "LS009" });
  expect(await add("by-valibot")).toHaveLength(1);
});
