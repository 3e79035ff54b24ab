import { expect, test } from "vitest";
import { InvalidJobIdError } from "../results/result-errors.ts";
import { checkedJobId } from "./checked-job-id.ts";

test("an id is taken in either case, and given as PostgreSQL writes it", () => {
  const id = "0190b0a0-0000-7000-8000-00000000000a";
  expect([checkedJobId(id), checkedJobId(id.toUpperCase())]).toEqual([id, id]);
});

test.each([["42"], [""], ["0190b0a0-0000-7000-8000-00000000000"], [undefined], [null], [{}]])(
  "%j is refused with a sentence",
  (id) => {
    expect(() => checkedJobId(id)).toThrow(InvalidJobIdError);
    expect(() => checkedJobId(id)).toThrow(/is not a job id: ids are UUIDs/);
  },
);
