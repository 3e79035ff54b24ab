import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { fanOut } from "../adding/fan-out.ts";
import type { Once } from "../outcomes/once.ts";
import { definePipeline, type PipelineInput, type PipelineResult } from "../pipelines/pipeline.ts";
import type { Jsonify, NotJson, Stored } from "./jsonify.ts";

class Money {
  readonly cents = 5;
  get euros(): number {
    return this.cents / 100;
  }
  plus(other: Money): number {
    return this.cents + other.cents;
  }
}

interface Order {
  readonly at: Date;
  note?: string;
}

test("what JSON carries keeps its type", () => {
  type Plain = { readonly a: "x" | 1; b?: string; c: [number, null]; d: { [key: string]: boolean }[] };
  expectTypeOf<Jsonify<Plain>>().toEqualTypeOf<Plain>();
  expectTypeOf<Jsonify<unknown>>().toEqualTypeOf<unknown>();
  expectTypeOf<Stored<undefined | string>>().toEqualTypeOf<null | string>();
});

test("what JSON changes has the type of what comes back", () => {
  expectTypeOf<Jsonify<Date>>().toEqualTypeOf<string>();
  expectTypeOf<Jsonify<Order | null>>().toEqualTypeOf<{ readonly at: string; note?: string } | null>();
  expectTypeOf<Jsonify<[Date, undefined]>>().toEqualTypeOf<[string, null]>();
  expectTypeOf<Jsonify<{ at: Date }[]>>().toEqualTypeOf<{ at: string }[]>();
  expectTypeOf<Jsonify<Money>>().toEqualTypeOf<{ readonly cents: 5; readonly euros: number }>();
  expectTypeOf<Jsonify<{ n: bigint }>>().toEqualTypeOf<{ n: NotJson<"a BigInt"> }>();
  expectTypeOf<Jsonify<Map<string, Date>>>().toEqualTypeOf<NotJson<"a Map, a Set or a Promise">>();
});

test("output, outputs, children and results are typed as JSON brings them back", () => {
  const child = definePipeline("child").stage("read", () => ({ at: new Date(), run: () => 1 }));
  const parent = definePipeline<Order>("parent")
    .stage("ask", ({ payload }) => {
      expectTypeOf(payload.at).toEqualTypeOf<string>();
      return fanOut(child, [{ payload: null }], { output: { began: new Date() } });
    })
    .stage("gather", async ({ output, outputs, children }) => {
      expectTypeOf(output).toEqualTypeOf<{ began: string }>();
      expectTypeOf(outputs.ask.began).toEqualTypeOf<string>();
      expectTypeOf(await children.results()).toEqualTypeOf<{ at: string }[]>();
      return [new Date()];
    });
  expectTypeOf<PipelineInput<typeof parent>>().toEqualTypeOf<Order>();
  expectTypeOf<PipelineResult<typeof parent>>().toEqualTypeOf<string[]>();
  expect(parent.stages).toHaveLength(2);
});

test("what an effect returned is typed as the ledger brings it back", () => {
  const ask = (once: Once) => once("ask", () => ({ at: new Date() }));
  expectTypeOf(ask).returns.resolves.toEqualTypeOf<{ at: string }>();
});

test("a schema whose input JSON does not bring back does not compile, one that reads text does", () => {
  const refused = {
    // @ts-expect-error a Date is stored as text, and z.date() refuses text
    date: () => definePipeline("p", { payload: z.object({ at: z.date() }) }),
    // @ts-expect-error JSON has no BigInt
    bigint: () => definePipeline("p", { payload: z.object({ n: z.bigint() }) }),
    // @ts-expect-error nor Maps
    map: () => definePipeline("p", { payload: z.map(z.string(), z.string()) }),
  };
  expect(Object.keys(refused)).toHaveLength(3);
  const coerced = definePipeline("p", { payload: z.object({ at: z.coerce.date() }) });
  const read = definePipeline("p", {
    payload: z.object({
      at: z.iso.datetime().transform((text) => new Date(text)),
      note: z.string().optional(),
    }),
  });
  for (const pipeline of [coerced, read]) {
    pipeline.stage("s", ({ payload }) => expectTypeOf(payload.at).toEqualTypeOf<Date>());
  }
  expectTypeOf<PipelineInput<typeof read>["at"]>().toEqualTypeOf<string>();
});
