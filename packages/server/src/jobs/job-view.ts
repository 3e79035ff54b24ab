import type { Effect, ErrorKind, Job, JobEvent, JobRowNow, JobSummary, WaitingJob } from "lockstep";
import type { Caller } from "../access/caller.ts";
import type { Redactor } from "../redaction/redactor.ts";

/** A job with what the answer says of its own gaps. */
export interface ShownJob extends Job {
  readonly isPayloadHidden: boolean;
  readonly hiddenInPayload: readonly string[];
}

/** Jobs as a caller may see them: parts hidden for all, and all data of handlers for those without jobs.payload. */
export class JobView {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  job(job: Job, caller: Caller): ShownJob {
    if (caller.scope !== null) return this.#ofEndUser(job);
    if (caller.rights.has("jobs.payload")) {
      const hiddenInPayload = this.#redactor.hiddenIn(job.payload);
      return { ...this.#redactor.job(job), isPayloadHidden: false, hiddenInPayload };
    }
    const bare = {
      ...this.#withoutData(job),
      payload: null,
      outputs: {},
      result: null,
      attempts: job.attempts.map(({ log, ...attempt }) => ({
        ...attempt,
        ...(log && { log: log.map(({ data: _data, ...line }) => line) }),
      })),
      isPayloadHidden: true,
      hiddenInPayload: [],
    };
    return this.#redactor.job(bare);
  }

  summary<Summary extends JobSummary & { readonly payloadPreview?: string | null }>(
    job: Summary,
    caller: Caller,
  ): Summary & { readonly payloadPreview: string | null } {
    const { payloadPreview = null } = job;
    return caller.rights.has("jobs.payload")
      ? { ...this.#redactor.job(job), payloadPreview: this.#redactor.preview(payloadPreview) }
      : { ...this.#redactor.job(this.#withoutData(job)), payloadPreview: null };
  }

  waiting(
    { place: _place, version: _version, ...job }: WaitingJob,
    caller: Caller,
  ): Omit<WaitingJob, "place" | "version" | "payloadPreview"> & { readonly payloadPreview: string | null } {
    const { payloadPreview } = job;
    const mayRead = caller.rights.has("jobs.payload");
    return { ...job, payloadPreview: mayRead ? this.#redactor.preview(payloadPreview) : null };
  }

  effects(effects: readonly Effect[], caller: Caller): readonly Effect[] {
    if (!caller.rights.has("jobs.payload")) return effects.map((effect) => ({ ...effect, value: null }));
    return this.#redactor.job({ effects }).effects;
  }

  error(kind: ErrorKind): ErrorKind {
    return { ...kind, message: kind.message === null ? null : this.#redactor.text(kind.message) };
  }

  /** How a job stands now, for screens that show it. */
  row<Row extends JobRowNow>(row: Row): Row {
    return this.#redactor.job(row);
  }

  /** Whether a payload that is asked for by its content has a part in it that nobody may see. */
  isHidden(payload: unknown): boolean {
    return this.#redactor.job({ payload }).payload !== payload;
  }

  /** Where a payload that is to be added has the mark of a hidden value in the value's place. */
  marksIn(payload: unknown): string[] {
    return this.#redactor.marksIn(payload);
  }

  /** An entry of the realtime log. */
  event({ cursor: _cursor, ...event }: JobEvent, seesData: boolean): Omit<JobEvent, "cursor"> {
    const { result, data, error, note, ...detail } = event.detail;
    const shown = this.#redactor.job({ result, progress: { data }, error });
    const parts = {
      ...(note !== undefined && { note: this.#redactor.text(note) }),
      ...(error !== undefined && { error: shown.error }),
      ...(seesData && result !== undefined && { result: shown.result }),
      ...(seesData && data !== undefined && { data: shown.progress.data }),
    };
    return { ...event, detail: { ...detail, ...parts } as JobEvent["detail"] };
  }

  /** What the realtime log tells of it too: how it stands and what came of it, not what it was made of. */
  #ofEndUser(job: Job): ShownJob {
    const { name, message } = job.error ?? {};
    return this.#redactor.job({
      ...job,
      error: name === undefined || message === undefined ? null : { name, message },
      payload: null,
      outputs: {},
      attempts: [],
      waits: [],
      workerId: null,
      // It may be another owner's.
      parentId: null,
      isPayloadHidden: true,
      hiddenInPayload: [],
    });
  }

  #withoutData<Summary extends JobSummary>(job: Summary): Summary {
    return job.progress === null ? job : { ...job, progress: { ...job.progress, data: null } };
  }
}
