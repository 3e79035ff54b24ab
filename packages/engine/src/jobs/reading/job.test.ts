import { expect, expectTypeOf, test } from "vitest";
import type { Job, JobId } from "./job.ts";

function resultOf<Result>(_id: JobId<Result>): Result | null {
  return null;
}

test("a job id remembers the type of its result", () => {
  const id: JobId<{ score: number }> = "3f0c";
  expectTypeOf(resultOf(id)).toEqualTypeOf<{ score: number } | null>();
  const maybe: JobId<string | undefined> = "3f0d";
  expectTypeOf(resultOf(maybe)).toEqualTypeOf<string | undefined | null>();
  expect(id).toBe("3f0c");
});

test("a plain string is an id whose result is unknown", () => {
  const plain: string = "3f0c";
  expectTypeOf(plain).toExtend<JobId>();
  expectTypeOf(resultOf(plain)).toEqualTypeOf<unknown>();
});

test("an id of one result is no id of another", () => {
  const id: JobId<number> = "3f0c";
  // @ts-expect-error a number is no string
  const other: JobId<string> = id;
  expectTypeOf<Job<number>>().toExtend<Job<unknown>>();
  expect(other).toBe(id);
});
