import { ManualClock, recordEvents } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { EngineEvents } from "../../events/engine-events.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { BulkStep } from "../../store/steering/bulk-store.ts";
import { BulkRunner } from "./bulk-runner.ts";

function aRunner(running: () => string[], step: (id: string) => BulkStep) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const steps: string[] = [];
  const runner = new BulkRunner({
    clock,
    events,
    store: {
      running: async () => running(),
      step: async (id) => {
        steps.push(id);
        return step(id);
      },
    },
  });
  onTestFinished(() => runner.stop());
  return { runner, clock, steps, events: recordEvents(events) };
}

test("actions are stepped in turn with short rests, and looked for every five seconds when there are none", async () => {
  let left = 3;
  let looks = 0;
  const { runner, clock, steps } = aRunner(
    () => {
      looks += 1;
      return left > 0 ? ["a", "b"] : [];
    },
    (id) => {
      if (id === "b") left -= 1;
      return left > 0 ? "running" : "done";
    },
  );
  runner.start();
  await clock.advance(0);
  expect(steps).toEqual(["a", "b"]);
  await clock.advance(100);
  expect(steps).toEqual(["a", "b", "a", "b", "a", "b"]);
  const before = looks;
  await clock.advance(20_000);
  expect(looks - before).toBe(4);
  left = 1;
  runner.wake();
  await clock.advance(0);
  expect(steps).toHaveLength(8);
});

test("an outage is left to others to tell, another error is told, and it goes on after both", async () => {
  const errors = [new DatabaseUnavailableError({ code: "ECONNREFUSED" }), new Error("odd")];
  const { runner, clock, steps, events } = aRunner(
    () => ["a"],
    () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return "done";
    },
  );
  runner.start();
  await clock.advance(12_000);
  expect(steps).toEqual(["a", "a", "a"]);
  expect(events.all("engine.error")).toMatchObject([{ error: { message: "odd" } }]);
});
