import { expect, test } from "vitest";
import { PollOnly } from "./poll-only.ts";

test("a worker that is not woken polls at its interval and says nothing", async () => {
  const waking = new PollOnly(60_000);
  const waits = await Promise.all(Array.from({ length: 8 }, () => waking.foundTooFew()));
  expect(waits).toEqual(new Array(8).fill(60_000));
});
