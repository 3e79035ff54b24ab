import type { EngineEventMap } from "lockstep";
import { expect, test } from "vitest";
import { type EventSource, recordEvents } from "./recorded-events.ts";

/** The engine's side of the bargain, without an engine. */
function aVoice() {
  const listeners: Parameters<EventSource["onAny"]>[0][] = [];
  return {
    onAny(listener: Parameters<EventSource["onAny"]>[0]) {
      listeners.push(listener);
      return () => void listeners.splice(listeners.indexOf(listener), 1);
    },
    say<N extends keyof EngineEventMap>(name: N, event: EngineEventMap[N]) {
      for (const listener of listeners) listener(name, event);
    },
  };
}

test("an event that came before it was asked for is given at once", async () => {
  const voice = aVoice();
  const events = recordEvents(voice);
  voice.say("job.retried", { jobId: "1" });
  expect(await events.next("job.retried")).toEqual({ jobId: "1" });
});

test("an event that comes later is waited for, and only one that matches", async () => {
  const voice = aVoice();
  const events = recordEvents(voice);
  const next = events.next("job.retried", ({ jobId }) => jobId === "2");
  voice.say("job.retried", { jobId: "1" });
  voice.say("job.retried", { jobId: "2" });
  expect(await next).toEqual({ jobId: "2" });
});

test("each event is given once", async () => {
  const voice = aVoice();
  const events = recordEvents(voice);
  voice.say("job.retried", { jobId: "1" });
  voice.say("job.retried", { jobId: "2" });
  expect([await events.next("job.retried"), await events.next("job.retried")]).toEqual([
    { jobId: "1" },
    { jobId: "2" },
  ]);
  await expect(events.next("job.retried", undefined, { limitMs: 1 })).rejects.toThrow(
    /No further "job.retried"/,
  );
});

test("an event that does not come is an error that lists what was seen", async () => {
  const voice = aVoice();
  const events = recordEvents(voice);
  voice.say("engine.error", { error: new Error("boom") });
  await expect(events.next("job.completed", undefined, { limitMs: 1 })).rejects.toThrow(
    'No further "job.completed" that matches came within 1 ms. Seen:\n  engine.error {"error":"Error: boom"}',
  );
});

test("recording ends when it is stopped", () => {
  const voice = aVoice();
  const events = recordEvents(voice);
  voice.say("job.retried", { jobId: "1" });
  events.stop();
  voice.say("job.retried", { jobId: "2" });
  expect([events.all("job.retried"), events.names()]).toEqual([[{ jobId: "1" }], ["job.retried"]]);
});
