import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { InvalidPayloadError } from "./json-value.ts";
import { validatePayload } from "./standard-schema.ts";

type Validate = StandardSchemaV1<unknown, number>["~standard"]["validate"];

function schemaByHand(validate: Validate): StandardSchemaV1<unknown, number> {
  return { "~standard": { version: 1, vendor: "by-hand", validate } };
}

const site = z.object({ url: z.url(), depth: z.coerce.number().default(2) });

describe("a payload its schema accepts", () => {
  test("comes back as the schema makes it, without a promise", () => {
    const accepted = validatePayload(site, { url: "https://example.com", depth: "3", extra: 1 });
    expectTypeOf(accepted).toEqualTypeOf<
      { url: string; depth: number } | Promise<{ url: string; depth: number }>
    >();
    expect(accepted).toEqual({ url: "https://example.com", depth: 3 });
  });

  test("comes back later when the schema takes its time", async () => {
    const accepted = validatePayload(
      schemaByHand(async (value) => ({ value: Number(value) })),
      "7",
    );
    expect(accepted).toBeInstanceOf(Promise);
    expect(await accepted).toBe(7);
  });
});

describe("a payload its schema refuses", () => {
  test("is an InvalidPayloadError that lists every issue in one sentence", () => {
    const people = z.object({ url: z.url(), people: z.array(z.object({ "a/b": z.number() })) });
    const refuse = () => validatePayload(people, { url: "x", people: [{ "a/b": "no" }] });
    expect(refuse).toThrow(InvalidPayloadError);
    expect(refuse).toThrow(
      expect.objectContaining({
        pointer: "/url",
        issues: [
          { pointer: "/url", message: "Invalid URL" },
          { pointer: "/people/0/a~1b", message: expect.stringContaining("expected number") },
        ],
        message: expect.stringMatching(
          /^The payload is not valid: \/url: Invalid URL; \/people\/0\/a~1b: .*\.$/,
        ),
      }),
    );
  });

  test("is named as a whole when the issue has no path", () => {
    const refuse = () =>
      validatePayload(
        schemaByHand(() => ({ issues: [{ message: "is not wanted" }] })),
        1,
      );
    expect(refuse).toThrow("The payload is not valid: payload: is not wanted.");
  });

  test("is pointed into by path segments too", () => {
    const path = ["list", { key: 3 }, { key: "~name" }];
    const refuse = () =>
      validatePayload(
        schemaByHand(() => ({ issues: [{ message: "no", path }] })),
        1,
      );
    expect(refuse).toThrow(expect.objectContaining({ pointer: "/list/3/~0name" }));
  });

  test("has a sentence of bearable length, however many issues there are", () => {
    const issues = Array.from({ length: 50_000 }, (_, index) => ({ message: "no", path: [index] }));
    const refuse = () =>
      validatePayload(
        schemaByHand(() => ({ issues })),
        1,
      );
    expect(refuse).toThrow(/\/19: no; and 49980 more\.$/);
    expect(refuse).toThrow(expect.objectContaining({ issues: expect.objectContaining({ length: 50_000 }) }));
  });

  test("rejects when the schema takes its time", async () => {
    const refused = validatePayload(
      schemaByHand(async () => ({ issues: [{ message: "no" }] })),
      1,
    );
    await expect(refused).rejects.toThrow(InvalidPayloadError);
  });
});

test("what the schema itself throws is passed on, since it is not the payload's fault", async () => {
  const broken = new Error("lookup failed");
  const throwing = schemaByHand(() => {
    throw broken;
  });
  expect(() => validatePayload(throwing, 1)).toThrow(broken);
  await expect(
    validatePayload(
      schemaByHand(() => Promise.reject(broken)),
      1,
    ),
  ).rejects.toBe(broken);
});
