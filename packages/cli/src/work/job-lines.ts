import type { Engine, EngineEventMap, EngineEventName, JobError } from "lockstep";
import type { Output } from "../output/output.ts";
import type { Io } from "../session/io.ts";

/** What is told of jobs, in the words of a line. */
type Told = {
  readonly [Name in EngineEventName]?: (event: EngineEventMap[Name]) => {
    readonly where: string;
    readonly what: string;
  };
};

const told: Told = {
  "job.added": ({ pipeline, created }) => ({
    where: pipeline,
    what: created ? "added" : "already exists",
  }),
  "job.started": (event) => ({ where: placeOf(event), what: `attempt ${event.attempt}` }),
  "job.progress": ({ percent, note }) => ({
    where: "",
    what: `${percent} %${note === null ? "" : `  ${note}`}`,
  }),
  "job.advanced": (event) => ({
    where: placeOf(event),
    what: `done in ${ms(event)}, next stage: ${event.nextStage}`,
  }),
  "job.skipped": (event) => ({
    where: placeOf(event),
    what: event.nextStage === null ? "skipped" : `skipped, goes on to ${event.nextStage}`,
  }),
  "job.branched": (event) => ({ where: placeOf(event), what: "waits for its branches" }),
  "job.completed": (event) => ({ where: placeOf(event), what: `done in ${ms(event)}, the job is completed` }),
  "job.retrying": (event) => ({
    where: placeOf(event),
    what: `failed (${reasonOf(event.error)}), will be retried`,
  }),
  "job.failed": (event) => ({ where: placeOf(event), what: `failed for good (${reasonOf(event.error)})` }),
  "job.snoozed": (event) => ({ where: placeOf(event), what: `snoozed for ${event.forMs} ms` }),
  "job.released": (event) => ({ where: placeOf(event), what: "released, attempt not counted" }),
  "job.cancelled": ({ pipeline = "", stage = "" }) => ({ where: `${pipeline}/${stage}`, what: "cancelled" }),
};

/** Tells what this engine's worker does with its jobs: as lines for people, or as JSON for programs. */
export function tellJobs(
  engine: Pick<Engine, "onAny">,
  { output, io, isToldToPeople }: { output: Output; io: Pick<Io, "clock">; isToldToPeople: boolean },
): () => void {
  return engine.onAny((name, event) => {
    const line = (told[name] as ((event: unknown) => { where: string; what: string }) | undefined)?.(event);
    if (line === undefined) return;
    const now = io.clock.now();
    if (output.format !== "text") {
      void output.line(() => "", { event: name, at: now.toISOString(), ...event });
    } else if (isToldToPeople) {
      const { jobId } = event as { jobId: string };
      const { dim } = output.talkPaint;
      const time = dim(now.toTimeString().slice(0, 8));
      output.note(`${time}  ${jobId}  ${output.safe(line.where).padEnd(24)}  ${output.safe(line.what)}`);
    }
  });
}

function placeOf({ pipeline, stage }: { readonly pipeline: string; readonly stage: string }): string {
  return `${pipeline}/${stage}`;
}

function ms({ durationMs }: { readonly durationMs: number }): string {
  return `${Math.round(durationMs)} ms`;
}

function reasonOf({ message }: JobError): string {
  return message.length > 200 ? `${message.slice(0, 199)}…` : message;
}
