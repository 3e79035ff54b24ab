import { expect, test } from "vitest";
import { bothBusy } from "./both-busy.ts";

const span = (worker: string, fromMs: number, toMs: number) => ({ worker, fromMs, toMs });

test("two workers are both busy while documents wait, and the last document does not count against them", () => {
  const [first, second, third] = [[span("a", 0, 10)], [span("b", 0, 12)], [span("a", 10, 30)]];
  expect(bothBusy([first, second, third])).toBe(1);
  expect(bothBusy([first, [span("b", 5, 12)], third])).toBeCloseTo(7 / 12);
  expect(bothBusy([[span("a", 0, 10)], [span("a", 10, 20)]])).toBe(0);
});

test("the stages of a document may be those of several workers", () => {
  expect(
    bothBusy([
      [span("a", 0, 4), span("b", 4, 10)],
      [span("b", 0, 4), span("a", 5, 10)],
    ]),
  ).toBeCloseTo(0.9);
});
