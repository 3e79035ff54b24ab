import { expect, test } from "vitest";
import { checkedHistory, HistoryFilterError } from "./checked-history.ts";

test("a filter that can be answered is taken as it is", () => {
  const filter = { stage: "read", from: new Date(0), to: new Date(1), stepMs: 60_000 };
  expect(checkedHistory(filter)).toBe(filter);
  expect(checkedHistory({})).toEqual({});
});

test.each([
  [{ step: 1 }, 'Unknown option "step" of a history. Did you mean "stepMs"?'],
  [{ stepMs: 1_000 }, "stepMs must be a whole number of milliseconds from 60000."],
  [{ stepMs: Number.NaN }, "stepMs must be a whole number of milliseconds from 60000."],
  [{ from: new Date("nonsense") }, "from must be a valid Date."],
  [{ to: "2026-03-02" }, "to must be a valid Date."],
])("%o is refused with a sentence", (filter, sentence) => {
  expect(() => checkedHistory(filter as object)).toThrow(new HistoryFilterError(sentence));
});
