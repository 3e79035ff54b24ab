import { ManualClock } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { ProgressBar } from "./progress-bar.ts";

function bar(options: { isRedrawn: boolean; isSilent?: boolean }) {
  const clock = new ManualClock(new Date("2027-01-01T12:00:00Z"));
  const written: string[] = [];
  const stderr = { isTTY: true, columns: 60, write: async (text: string) => void written.push(text) };
  return {
    clock,
    written,
    bar: new ProgressBar({ stderr, clock }, { title: "adding", isSilent: false, ...options }),
  };
}

test("on a terminal one line is redrawn, at most ten times a second, and its end is always shown", async () => {
  const { bar: shown, written, clock } = bar({ isRedrawn: true });
  for (let done = 0; done <= 50; done += 1) shown.update({ share: done / 100, text: `${done} of 100` });
  expect(written).toHaveLength(1);
  await clock.advance(100);
  shown.update({ share: 1, text: "100 of 100" });
  shown.end();
  expect(written.slice(1)).toEqual([
    "\r\u001b[2Kadding  ████████████████  100 %  100 of 100",
    "\r\u001b[2Kadding  ████████████████  100 %  100 of 100",
    "\n",
  ]);
});

test("in a log there is a line for each tenth", () => {
  const { bar: shown, written } = bar({ isRedrawn: false });
  for (let done = 0; done <= 100; done += 1) shown.update({ share: done / 100, text: `${done} of 100` });
  shown.end();
  expect(written).toHaveLength(11);
  expect(written[5]).toBe("adding   50 %  50 of 100\n");
});

test("-q says nothing", () => {
  const { bar: shown, written } = bar({ isRedrawn: true, isSilent: true });
  shown.update({ share: 0.5, text: "" });
  shown.end();
  expect(written).toEqual([]);
});
