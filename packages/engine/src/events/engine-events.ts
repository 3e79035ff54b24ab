import type { JobError, JobStatus, LogLevel } from "../jobs/reading/job.ts";
import type { HealthReport } from "./health-report.ts";

interface StageEvent {
  readonly jobId: string;
  readonly pipeline: string;
  readonly stage: string;
}

interface AttemptEvent extends StageEvent {
  readonly attempt: number;
}

/** Everything an engine says, by name. */
export interface EngineEventMap {
  "engine.started": { readonly workerId: string };
  "engine.stopping": Record<never, never>;
  "engine.stopped": Record<never, never>;
  "engine.error": { readonly error: Error };
  "worker.registered": { readonly workerId: string; readonly name: string };
  "worker.lost": { readonly workerId: string };
  /** So many handlers do not stop that this worker drains; the engine goes on as a client. */
  "worker.spent": { readonly workerId: string; readonly reason: string };
  /** It has drained: the engine does not work any more, whether it is stopped or its worker was spent. */
  "worker.stopped": { readonly workerId: string };
  "job.added": { readonly jobId: string; readonly pipeline: string; readonly created: boolean };
  "job.claimed": AttemptEvent;
  "job.started": AttemptEvent & { readonly processor: number };
  "job.progress": { readonly jobId: string; readonly percent: number; readonly note: string | null };
  "job.advanced": StageEvent & { readonly nextStage: string; readonly durationMs: number };
  /** Its stage's `when` said no; `nextStage` is null if it was the last. */
  "job.skipped": StageEvent & { readonly nextStage: string | null };
  /** Its attempt has begun children, and the job waits in this stage for what they return. */
  "job.branched": AttemptEvent & { readonly durationMs: number };
  "job.completed": StageEvent & { readonly durationMs: number };
  "job.retrying": AttemptEvent & { readonly error: JobError; readonly durationMs: number };
  "job.failed": AttemptEvent & { readonly error: JobError; readonly durationMs: number };
  "job.snoozed": AttemptEvent & { readonly forMs: number };
  "job.released": AttemptEvent;
  "job.cancelled": { readonly jobId: string; readonly pipeline?: string; readonly stage?: string };
  "job.cancel_requested": { readonly jobId: string };
  "job.retried": { readonly jobId: string };
  /** This process has signalled a job that waited for it. */
  "job.signalled": { readonly jobId: string; readonly signal: string };
  /** Sleeps that were over and waits that timed out, whose jobs go on or have failed. */
  "job.waits_ended": { readonly count: number; readonly jobIds: readonly string[] };
  /** Jobs taken back from workers whose lease ended. */
  "job.lost": { readonly count: number };
  /** Jobs that ended as failed because they had not started by their time. */
  "job.expired": { readonly count: number };
  "job.log": AttemptEvent & {
    readonly level: LogLevel;
    readonly message: string;
    readonly data?: unknown;
  };
  /** A tick has come, and its job is added. */
  "schedule.fired": { readonly schedule: string; readonly tickAt: Date; readonly jobId: string };
  /** Ticks from this one on came while no worker was there; `next` is the tick it goes on with. */
  "schedule.missed": { readonly schedule: string; readonly from: Date; readonly next: Date };
  /** A schedule can add no jobs, and why. Told once. */
  "schedule.problem": { readonly schedule: string; readonly problem: string };
  /** The attempt of a claim that was lost has ended, and its end is not stored; `status` is what the job has now, null if it is unknown. */
  "claim.lost": { readonly jobId: string; readonly stage: string; readonly status: JobStatus | null };
  "processor.error": StageEvent & { readonly processor: number };
  "processor.replaced": { readonly pipeline: string; readonly stage: string; readonly processor: number };
  health: { readonly report: HealthReport };
  /** The database is away: told when that is sure, and once a minute while it lasts. */
  "database.down": { readonly error: Error };
  "database.up": { readonly downForMs: number };
  /** The schema is older than this code, which can use it: what is new in this code is refused until somebody migrates. */
  "schema.behind": { readonly found: number; readonly needed: number };
}

/** The name of an event of an engine, such as `job.completed`. */
export type EngineEventName = keyof EngineEventMap;
/** What `on` calls for the events of one name. */
export type EngineEventListener<Name extends EngineEventName> = (event: EngineEventMap[Name]) => void;
/** What `onAny` calls, with the name of each event and what it says. */
export type AnyEngineEventListener = <Name extends EngineEventName>(
  name: Name,
  event: EngineEventMap[Name],
) => void;

/** One listening; the same function may listen more than once. */
interface Listening {
  readonly listener: (event: never) => unknown;
  isReported: boolean;
}

interface AnyListening {
  readonly listener: AnyEngineEventListener;
  isReported: boolean;
}

/** The engine's voice. No listener can harm the engine: what one throws becomes an `engine.error`. */
export class EngineEvents {
  // Lists are replaced, never changed, so that a listener may leave while an event goes round.
  readonly #listenings = new Map<EngineEventName, readonly Listening[]>();
  #anyListenings: readonly AnyListening[] = [];

  /** Returns the function that ends the listening. */
  on<Name extends EngineEventName>(name: Name, listener: EngineEventListener<Name>): () => void {
    const listening = { listener, isReported: false };
    this.#listenings.set(name, [...(this.#listenings.get(name) ?? []), listening]);
    return () => {
      const left = (this.#listenings.get(name) ?? []).filter((other) => other !== listening);
      if (left.length > 0) this.#listenings.set(name, left);
      else this.#listenings.delete(name);
    };
  }

  onAny(listener: AnyEngineEventListener): () => void {
    const listening = { listener, isReported: false };
    this.#anyListenings = [...this.#anyListenings, listening];
    return () => {
      this.#anyListenings = this.#anyListenings.filter((other) => other !== listening);
    };
  }

  /** Lets a busy caller leave out making an event that nobody hears. */
  hasListeners(name: EngineEventName): boolean {
    return this.#anyListenings.length > 0 || this.#listenings.has(name);
  }

  emit<Name extends EngineEventName>(name: Name, event: EngineEventMap[Name]): void {
    const anyListenings = this.#anyListenings;
    for (const listening of this.#listenings.get(name) ?? nobody) {
      try {
        this.#watch(listening, listening.listener(event as never));
      } catch (thrown) {
        this.#report(listening, thrown);
      }
    }
    for (const listening of anyListenings) {
      try {
        this.#watch(listening, listening.listener(name, event));
      } catch (thrown) {
        this.#report(listening, thrown);
      }
    }
  }

  /** Tells of something that went wrong, whatever was thrown. */
  emitError(thrown: unknown): void {
    this.emit("engine.error", { error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
  }

  // An async listener's rejection would end the process.
  #watch(listening: { isReported: boolean }, answer: unknown): void {
    if (answer instanceof Promise) answer.catch((thrown) => this.#report(listening, thrown));
  }

  // Once for each listening: one that fails at every event would drown the log, and one that fails at
  // `engine.error` would call itself for ever.
  #report(listening: { isReported: boolean }, thrown: unknown): void {
    if (listening.isReported) return;
    listening.isReported = true;
    this.emit("engine.error", { error: new ListenerError(thrown) });
  }
}

const nobody: readonly Listening[] = [];

class ListenerError extends Error {
  override readonly name = "ListenerError";

  constructor(cause: unknown) {
    super("A listener of the engine's events threw; its further errors are not reported.", { cause });
  }
}
