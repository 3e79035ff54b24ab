import { types } from "node:util";
import type { JobError, JobStatus, LogLevel } from "../jobs/reading/job.ts";
import { databaseAdvice } from "./database-advice.ts";
import type { EngineEventMap, EngineEventName, EngineEvents } from "./engine-events.ts";
import { redact, redactText } from "./redact.ts";

/** Where log lines go. pino fits as it is. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Asked once, so that a logger that drops debug lines costs a busy worker nothing. */
  isLevelEnabled?(level: LogLevel): boolean;
}

interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  /** What stands beside the message; the event itself unless it holds more than a log should. */
  readonly fields?: object;
}

const quietMs = 5_000;
const unavailable = "DatabaseUnavailableError";
// Engines that write to the same log are told of an outage with the same event.
const outagesTold = new WeakMap<Logger, WeakSet<object>>();

/**
 * The one listener that writes log lines; returns the function that ends it. Payloads and outputs are in no
 * event, so none is logged.
 */
export function logEvents(
  events: Pick<EngineEvents, "on">,
  logger: Logger,
  clock: { monotonicMs(): number },
): () => void {
  const repeated = new RepeatedLines(clock);
  const names = (Object.keys(lines) as EngineEventName[]).filter(
    (name) => !perJobEvents.has(name) || (logger.isLevelEnabled?.("debug") ?? true),
  );
  const endings = names.map((name) =>
    events.on(name, (event) => {
      if (repeated.isToBeLeftOut(name, event) || isTold(logger, name, event)) return;
      const line = lineOf(name, event);
      logger[line.level]({ event: name, ...(line.fields ?? event) }, line.message);
    }),
  );
  return () => {
    for (const end of endings) end();
  };
}

// Told at debug level only, several times for every job.
const perJobEvents: ReadonlySet<EngineEventName> = new Set<EngineEventName>([
  "job.added",
  "job.claimed",
  "job.started",
  "job.progress",
  "job.advanced",
  "job.skipped",
  "job.branched",
  "job.completed",
]);

function lineOf<Name extends EngineEventName>(name: Name, event: EngineEventMap[Name]): LogLine {
  return lines[name](event);
}

const lines: { readonly [Name in EngineEventName]: (event: EngineEventMap[Name]) => LogLine } = {
  "engine.started": () => ({ level: "info", message: "The engine has started" }),
  "engine.stopping": () => ({ level: "info", message: "The engine is stopping" }),
  "engine.stopped": () => ({ level: "info", message: "The engine has stopped" }),
  "engine.error": ({ error }) => ({
    level: "error",
    message: `The engine met an error and continues: ${redactText(error.message)}`,
    fields: { error: { name: error.name, stack: redactText(error.stack ?? "") } },
  }),
  "worker.registered": ({ name }) => ({ level: "info", message: `The worker is registered as ${name}` }),
  "worker.lost": () => ({
    level: "warn",
    message: "The worker lost its lease; its jobs go to others, and it registers again",
  }),
  "worker.spent": ({ reason }) => ({
    level: "error",
    message: `${redactText(reason)} This worker drains now; restart its process`,
  }),
  "worker.stopped": () => ({ level: "info", message: "The worker has stopped" }),
  "job.added": ({ jobId, created }) => ({
    level: "debug",
    message: created ? `Job ${jobId} is added` : `Job ${jobId} already existed`,
  }),
  "job.claimed": (event) => ({ level: "debug", message: `Job ${event.jobId} is claimed in ${at(event)}` }),
  "job.started": (event) => ({ level: "debug", message: `Job ${event.jobId} starts in ${at(event)}` }),
  "job.progress": ({ jobId, percent }) => ({
    level: "debug",
    message: `Job ${jobId} is at ${percent} %`,
    fields: { jobId, percent },
  }),
  "job.advanced": ({ jobId, nextStage }) => ({
    level: "debug",
    message: `Job ${jobId} advances to ${nextStage}`,
  }),
  "job.skipped": (event) => ({ level: "debug", message: `Job ${event.jobId} skips ${at(event)}` }),
  "job.branched": (event) => ({
    level: "debug",
    message: `Job ${event.jobId} waits in ${at(event)} for its branches`,
  }),
  "job.completed": ({ jobId }) => ({ level: "debug", message: `Job ${jobId} is completed` }),
  "job.retrying": (event) => ({ ...failureLine(event, "failed and will be retried"), level: "warn" }),
  "job.failed": (event) => ({ ...failureLine(event, "has failed for good"), level: "error" }),
  "job.snoozed": (event) => ({ level: "debug", message: `Job ${event.jobId} snoozes in ${at(event)}` }),
  "job.released": ({ jobId }) => ({ level: "debug", message: `Job ${jobId} is released` }),
  "job.cancelled": ({ jobId }) => ({ level: "info", message: `Job ${jobId} is cancelled` }),
  "job.cancel_requested": ({ jobId }) => ({ level: "info", message: `Job ${jobId} is asked to stop` }),
  "job.retried": ({ jobId }) => ({ level: "info", message: `Job ${jobId} is to run again` }),
  "job.signalled": ({ jobId, signal }) => ({ level: "info", message: `Job ${jobId} has signal ${signal}` }),
  "job.waits_ended": ({ count }) => ({
    level: "debug",
    message: `${count} ${count === 1 ? "wait is" : "waits are"} over`,
  }),
  "job.lost": ({ count }) => ({
    level: "warn",
    message: `${count} ${count === 1 ? "job is" : "jobs are"} taken back from workers that died`,
  }),
  "job.expired": ({ count }) => ({
    level: "warn",
    message: `${count} ${count === 1 ? "job" : "jobs"} had not started in time and ended as failed`,
  }),
  "job.log": ({ data, level, ...event }) => ({
    level,
    message: redactText(event.message),
    fields: { ...where(event), ...(data === undefined ? {} : { data: redact(data) }) },
  }),
  "schedule.fired": ({ schedule, tickAt, jobId }) => ({
    level: "debug",
    message: `Schedule ${schedule} adds job ${jobId} for ${tickAt.toISOString()}`,
  }),
  "schedule.missed": ({ schedule, from, next }) => ({
    level: "warn",
    message: `Schedule ${schedule} missed ticks from ${from.toISOString()} on, and continues with ${next.toISOString()}`,
  }),
  "schedule.problem": ({ schedule, problem }) => ({
    level: "error",
    message: `Schedule ${schedule} can add no jobs: ${redactText(problem)}`,
    fields: { schedule },
  }),
  "claim.lost": ({ jobId, stage, status }) => ({
    level: "warn",
    message: `Job ${jobId} was taken back in ${stage} before its attempt ended, and that end is not stored; ${nowThat(status)}`,
  }),
  "processor.error": (event) => ({
    level: "error",
    message: `Processor ${event.processor} of ${at(event)} does not stop working on job ${event.jobId}`,
  }),
  "processor.replaced": (event) => ({
    level: "warn",
    message: `Processor ${event.processor} of ${at(event)} is replaced`,
  }),
  health: ({ report }) =>
    report.problems.length > 0
      ? { level: "info", message: `Health: ${report.problems.join("; ")}`, fields: report }
      : { level: "debug", message: "Health: all is well", fields: report },
  "database.down": ({ error }) => ({
    level: "error",
    message: databaseAdvice(causeOf(error)),
    fields: { error: { name: error.name, code: (causeOf(error) as { code?: unknown }).code } },
  }),
  "database.up": ({ downForMs }) => ({
    // A warning: whoever reads only warnings and errors must learn that the outage is over.
    level: "warn",
    message: `The database can be reached again, after ${Math.round(downForMs / 1_000)} s`,
  }),
  "schema.behind": ({ found, needed }) => ({
    level: "warn",
    message: `The schema has version ${found}, and this code brings ${needed}: migrate it, such as with \`engine.migrate()\`. What the older schema lacks is refused until then`,
  }),
};

interface Place {
  readonly pipeline: string;
  readonly stage: string;
}

function at({ pipeline, stage }: Place): string {
  return `${pipeline}/${stage}`;
}

function where({ jobId, pipeline, stage, attempt }: Place & { jobId: string; attempt: number }): object {
  return { jobId, pipeline, stage, attempt };
}

function failureLine(
  event: Place & { jobId: string; attempt: number; durationMs: number; error: JobError },
  what: string,
): { message: string; fields: object } {
  const { name, code } = event.error;
  const message = redactText(event.error.message);
  return {
    message: `Job ${event.jobId} ${what} in ${at(event)}, attempt ${event.attempt}: ${message.slice(0, 500)}`,
    fields: { ...where(event), durationMs: event.durationMs, error: { name, ...(code && { code }) } },
  };
}

/** What the driver said: our own sentence has advice of its own. */
function causeOf(error: Error): Error {
  return error.name === unavailable && types.isNativeError(error.cause) ? error.cause : error;
}

function isTold<Name extends EngineEventName>(
  logger: Logger,
  name: Name,
  event: EngineEventMap[Name],
): boolean {
  if (name !== "database.down" && name !== "database.up") return false;
  const told = outagesTold.get(logger) ?? new WeakSet();
  outagesTold.set(logger, told);
  if (told.has(event)) return true;
  told.add(event);
  return false;
}

function nowThat(status: JobStatus | null): string {
  if (status === null) return "the job is no longer known";
  if (status === "processing") return "another claim has the job now";
  return status === "completed" || status === "failed" || status === "cancelled"
    ? `the job is ${status}`
    : `the job is ${status} and will run again`;
}

/** Limits what may come many times a second to one line in five seconds. */
class RepeatedLines {
  readonly #clock: { monotonicMs(): number };
  readonly #lastAtMs = new Map<string, number>();

  constructor(clock: { monotonicMs(): number }) {
    this.#clock = clock;
  }

  isToBeLeftOut<Name extends EngineEventName>(name: Name, event: EngineEventMap[Name]): boolean {
    return (
      name === "engine.error" && this.#isTooSoon((event as EngineEventMap["engine.error"]).error.message)
    );
  }

  #isTooSoon(what: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const lastAtMs = this.#lastAtMs.get(what);
    if (lastAtMs !== undefined && nowMs - lastAtMs < quietMs) return true;
    // Messages may differ without end; what is older than the quiet time needs no memory.
    for (const [other, atMs] of this.#lastAtMs) if (nowMs - atMs >= quietMs) this.#lastAtMs.delete(other);
    this.#lastAtMs.set(what, nowMs);
    return false;
  }
}
