import type { Effect, Job, JobSummary } from "lockstep";
import type { Caller } from "./access/caller.ts";
import type { Redactor } from "./redaction/redactor.ts";

/** Jobs as a caller may see them: parts hidden for all, and all data of handlers for those without jobs.payload. */
export class JobView {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  job(job: Job, caller: Caller): Job & { readonly isPayloadHidden: boolean } {
    if (caller.rights.has("jobs.payload")) return { ...this.#redactor.job(job), isPayloadHidden: false };
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

  effects(effects: readonly Effect[], caller: Caller): readonly Effect[] {
    if (!caller.rights.has("jobs.payload")) return effects.map((effect) => ({ ...effect, value: null }));
    return this.#redactor.job({ effects }).effects;
  }

  /** Whether a payload that is asked for by its content has a part in it that nobody may see. */
  isHidden(payload: unknown): boolean {
    return this.#redactor.job({ payload }).payload !== payload;
  }

  #withoutData<Summary extends JobSummary>(job: Summary): Summary {
    return job.progress === null ? job : { ...job, progress: { ...job.progress, data: null } };
  }
}
