import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AddOptionError } from "../../jobs/adding/add-options.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { InvalidPayloadError, PayloadTooLargeError } from "../../jobs/values/json-value.ts";
import { encodeCheckedJob } from "./encoded-job.ts";

const now = new Date("2026-05-01T08:00:00Z");
const orders = definePipeline("orders").stage("read", () => 1);
const priced = definePipeline("orders", {
  payload: z.object({ amount: z.string().transform(Number) }),
}).stage("read", () => 1);

const ownId = "0190b0a0-0000-7000-8000-00000000000a";

async function encoded(options: object, payload: unknown = { n: 1 }) {
  const { json, isIdOurs } = await encodeCheckedJob(orders, payload, options, now);
  return { job: JSON.parse(json), isIdOurs };
}

describe("a job as add_jobs takes it", () => {
  test("has its pipeline, its payload, and an id drawn for it", async () => {
    const { job, isIdOurs } = await encoded({});
    expect(job).toEqual({
      pipeline: "orders",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      payload: { n: 1 },
    });
    expect(isIdOurs).toBe(true);
  });

  test("carries every option", async () => {
    const options = {
      priority: 3,
      dedupKey: "k",
      owner: "ada",
      tags: ["a", "b"],
      scheduledFor: now,
      id: ownId,
    };
    const { job, isIdOurs } = await encoded(options);
    expect(job).toEqual({
      pipeline: "orders",
      payload: { n: 1 },
      ...options,
      scheduledFor: "2026-05-01T08:00:00.000Z",
    });
    expect(isIdOurs).toBe(false);
  });

  test("stores the payload as it was given, not as the schema changes it", async () => {
    const { json } = await encodeCheckedJob(priced, { amount: "12" }, {}, now);
    expect(JSON.parse(json).payload).toEqual({ amount: "12" });
  });

  test("of an undefined payload is null", async () => {
    const { json } = await encodeCheckedJob(orders, undefined, {}, now);
    expect(JSON.parse(json).payload).toBeNull();
  });
});

describe("refused at the door", () => {
  test.each<[string, () => Promise<unknown>, new (...args: never[]) => Error, RegExp]>([
    [
      "a payload its schema refuses",
      () => encodeCheckedJob(priced, { amount: 12 }, {}, now),
      InvalidPayloadError,
      /\/amount/,
    ],
    [
      "a payload that is not there",
      () => encodeCheckedJob(priced, undefined, {}, now),
      InvalidPayloadError,
      /not valid/,
    ],
    [
      "a NUL character",
      () => encodeCheckedJob(orders, { text: "a\0b" }, {}, now),
      InvalidPayloadError,
      /\/text holds a NUL/,
    ],
    [
      "256 KiB and more",
      () => encodeCheckedJob(orders, "x".repeat(262_144), {}, now),
      PayloadTooLargeError,
      /256 KiB/,
    ],
    ["a BigInt", () => encodeCheckedJob(orders, { n: 1n }, {}, now), InvalidPayloadError, /\/n/],
    [
      "a wrong option",
      () => encodeCheckedJob(orders, {}, { priority: 21 }, now),
      AddOptionError,
      /from 1 \(first\) to 20/,
    ],
  ])("%s", async (_what, encode, type, sentence) => {
    const refusal = encode();
    await expect(refusal).rejects.toThrow(type);
    await expect(refusal).rejects.toThrow(sentence);
  });
});
