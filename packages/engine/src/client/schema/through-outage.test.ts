import { ManualClock } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { closedCode, DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { throughOutage } from "./through-outage.ts";

/** Runs a call that fails so many times, and says what came of it and what the call was told. */
async function outcomeOf(failures: number, error: Error) {
  const clock = new ManualClock();
  const told: boolean[] = [];
  const ended = throughOutage(clock, async (isAgain) => {
    told.push(isAgain);
    if (told.length <= failures) throw error;
    return "answered";
  }).catch((thrown: unknown) => thrown);
  await clock.advance(10_000);
  return { answer: await ended, told };
}

const away = new DatabaseUnavailableError(new Error("gone"));

test("a short outage is waited out, and the call is told that it runs again", async () => {
  expect(await outcomeOf(2, away)).toEqual({ answer: "answered", told: [false, true, true] });
});

test("after five calls the outage is the caller's to know", async () => {
  const { answer, told } = await outcomeOf(5, away);
  expect([answer, told.length]).toEqual([away, 5]);
});

test("any other error is thrown at once", async () => {
  const bug = new Error("a bug");
  expect(await outcomeOf(1, bug)).toEqual({ answer: bug, told: [false] });
});

test("an error that waiting cannot mend is thrown at once", async () => {
  const closed = new DatabaseUnavailableError({ code: closedCode });
  expect(await outcomeOf(1, closed)).toEqual({ answer: closed, told: [false] });
});
