import { describe, expect, expectTypeOf, test } from "vitest";
import { EngineEvents } from "./engine-events.ts";

const completed = { jobId: "j1", pipeline: "p", stage: "s", durationMs: 5 };

function recordErrors(events: EngineEvents): Error[] {
  const errors: Error[] = [];
  events.on("engine.error", ({ error }) => errors.push(error));
  return errors;
}

function throwing(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}

describe("an event", () => {
  test("reaches those who listen for its name, in order, and those who listen for all", () => {
    const events = new EngineEvents();
    const heard: unknown[] = [];
    events.on("job.completed", (event) => {
      expectTypeOf(event.durationMs).toEqualTypeOf<number>();
      heard.push(["first", event]);
    });
    events.on("job.completed", (event) => heard.push(["second", event]));
    events.on("job.cancelled", (event) => heard.push(["other", event]));
    events.onAny((name, event) => heard.push([name, event]));
    events.emit("job.completed", completed);
    expect(heard).toEqual([
      ["first", completed],
      ["second", completed],
      ["job.completed", completed],
    ]);
  });

  test("is refused by the compiler when a part is missing", () => {
    const events = new EngineEvents();
    // @ts-expect-error the duration is missing
    events.emit("job.completed", { jobId: "j1", pipeline: "p", stage: "s" });
    // @ts-expect-error no such event
    events.emit("job.done", {});
    expect(events.hasListeners("job.completed")).toBe(false);
  });
});

describe("a listener", () => {
  test("hears nothing after it has left", () => {
    const events = new EngineEvents();
    const heard: string[] = [];
    const leave = events.on("database.up", () => heard.push("on"));
    const leaveAny = events.onAny(() => heard.push("any"));
    events.emit("database.up", { downForMs: 1 });
    leave();
    leave();
    leaveAny();
    events.emit("database.up", { downForMs: 1 });
    expect(heard).toEqual(["on", "any"]);
  });

  test("may leave or come while an event goes round", () => {
    const events = new EngineEvents();
    const heard: string[] = [];
    const leave = events.on("database.up", () => {
      heard.push("first");
      leave();
      events.on("database.up", () => heard.push("late"));
    });
    events.on("database.up", () => heard.push("second"));
    events.emit("database.up", { downForMs: 1 });
    expect(heard).toEqual(["first", "second"]);
    events.emit("database.up", { downForMs: 1 });
    expect(heard).toEqual(["first", "second", "second", "late"]);
  });

  test("listens twice when it came twice, and leaves once for each", () => {
    const events = new EngineEvents();
    let heard = 0;
    const listener = () => {
      heard += 1;
    };
    const leave = events.on("database.up", listener);
    events.on("database.up", listener);
    leave();
    leave();
    events.emit("database.up", { downForMs: 1 });
    expect(heard).toBe(1);
  });
});

test("whether anyone listens is known by name", () => {
  const events = new EngineEvents();
  expect(events.hasListeners("job.claimed")).toBe(false);
  const leave = events.on("job.claimed", () => {});
  expect(events.hasListeners("job.claimed")).toBe(true);
  expect(events.hasListeners("job.started")).toBe(false);
  leave();
  expect(events.hasListeners("job.claimed")).toBe(false);
  const leaveAny = events.onAny(() => {});
  expect(events.hasListeners("job.started")).toBe(true);
  leaveAny();
  expect(events.hasListeners("job.started")).toBe(false);
});

describe("a listener that throws", () => {
  test("harms neither the engine nor the others, and is reported as an engine.error", () => {
    const events = new EngineEvents();
    const errors = recordErrors(events);
    const heard: string[] = [];
    events.on("database.up", throwing("broken"));
    events.on("database.up", () => heard.push("next"));
    events.onAny((name) => heard.push(name));
    events.emit("database.up", { downForMs: 1 });
    expect(heard).toEqual(["engine.error", "next", "database.up"]);
    expect(errors).toMatchObject([{ name: "ListenerError", cause: { message: "broken" } }]);
  });

  test("is reported once, however often it throws", () => {
    const events = new EngineEvents();
    const errors = recordErrors(events);
    events.on("database.up", throwing("broken"));
    for (let time = 0; time < 5; time++) events.emit("database.up", { downForMs: 1 });
    expect(errors).toHaveLength(1);
  });

  test("does not call itself for ever when it listens for engine.error", () => {
    const events = new EngineEvents();
    const errors = recordErrors(events);
    events.on("engine.error", throwing("broken too"));
    events.onAny(throwing("broken as well"));
    events.emit("engine.error", { error: new Error("the first") });
    expect(errors.length).toBeLessThanOrEqual(3);
    expect(errors[0]?.message).toBe("the first");
  });

  test("later, as a promise that rejects, is reported too", async () => {
    const events = new EngineEvents();
    const reported = new Promise<Error>((resolve) =>
      events.on("engine.error", ({ error }) => resolve(error)),
    );
    events.on("database.up", async () => {
      throw new Error("broken later");
    });
    events.emit("database.up", { downForMs: 1 });
    expect(await reported).toMatchObject({ cause: { message: "broken later" } });
  });
});
