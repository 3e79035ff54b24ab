import { describe, expect, test } from "vitest";
import { Cron } from "./cron.ts";
import { type MissedPolicy, schedulePlan } from "./schedule-plan.ts";

const hourly = new Cron("0 * * * *", "UTC");

function plan(state: { missed?: MissedPolicy; countsFrom?: string; nextAt: string | null }, now: string) {
  const at = (time: string) => new Date(`2026-03-02T${time}Z`);
  const { tick, next } = schedulePlan(
    hourly,
    {
      missed: state.missed ?? "skip",
      countsFrom: at(state.countsFrom ?? "00:00:00"),
      nextAt: state.nextAt === null ? null : at(state.nextAt),
    },
    at(now),
  );
  const time = (date: Date) => date.toISOString().slice(11, 19);
  return [tick === null ? null : time(tick), time(next)];
}

describe.each(["skip", "run_once"] as const)("with missed: %s", (missed) => {
  test("a tick that has come gets its job, up to a minute late", () => {
    expect(plan({ missed, nextAt: "12:00:00" }, "12:00:00")).toEqual(["12:00:00", "13:00:00"]);
    expect(plan({ missed, nextAt: "12:00:00" }, "12:01:00")).toEqual(["12:00:00", "13:00:00"]);
  });

  test("a schedule without a next tick gets the first one since it was set", () => {
    expect(plan({ missed, nextAt: null, countsFrom: "11:59:58" }, "12:00:01")).toEqual([null, "12:00:00"]);
  });
});

test("skip leaves out what was missed, but not what is still on time", () => {
  expect(plan({ nextAt: "03:00:00" }, "12:30:00")).toEqual([null, "13:00:00"]);
  expect(plan({ nextAt: "03:00:00" }, "12:00:30")).toEqual([null, "12:00:00"]);
});

test("run_once adds one job, for the last of those that were missed", () => {
  expect(plan({ missed: "run_once", nextAt: "03:00:00" }, "12:30:00")).toEqual(["12:00:00", "13:00:00"]);
  expect(plan({ missed: "run_once", nextAt: "03:00:00" }, "12:00:30")).toEqual(["12:00:00", "13:00:00"]);
  expect(plan({ missed: "run_once", nextAt: "12:00:00" }, "12:30:00")).toEqual(["12:00:00", "13:00:00"]);
});
