import type { Clock } from "../../clock.ts";
import type { SignalAnswer } from "../../jobs/adding/signal.ts";
import { ApprovalError, type ApprovalScope, type ApprovalTokens } from "../../jobs/reading/approval-token.ts";
import type { Job } from "../../jobs/reading/job.ts";
import { encodePayload } from "../../jobs/values/json-value.ts";
import type { JobStore } from "../../store/reading/job-store.ts";
import type { PipelineStore } from "../../store/steering/pipeline-store.ts";
import type { SignalStore } from "../../store/steering/signal-store.ts";
import { checkedJobId } from "../reading/checked-job-id.ts";

/** For whom a link is, and for how long. */
export interface ApprovalLinkOptions {
  /** Who decides: recorded, and told the job. A wait with `notBy: "owner"` refuses the owner of the job. */
  readonly by: string;
  readonly expiresInMs: number;
  /** Where the server of `@lockstep/server` is mounted, such as "https://example.com/lockstep". */
  readonly baseUrl: string;
}

/** What a link asks somebody to decide. */
export interface Approval extends Pick<ApprovalScope, "jobId" | "wait" | "by" | "expiresAt"> {
  /** The job as it is now; null if retention has deleted it. Show of its outputs only those of `stages`. */
  readonly job: Job | null;
  /** The stages whose outputs the decision is about, beside the payload. */
  readonly stages: readonly string[];
  /** False: the job is no longer as it was when the link was made, and a decision would be refused. */
  readonly isCurrent: boolean;
  /** Somebody has decided, by this link or otherwise. If the job has not come to the wait, or it is paused, the decision is kept for it. */
  readonly isDecided: boolean;
  /** JSON Schema of the decision, where the validator of the wait can give one. */
  readonly schema: Readonly<Record<string, unknown>> | null;
}

/** What became of a decision. */
export interface Decision {
  readonly answer: SignalAnswer;
  readonly jobId: string;
}

export interface ApprovalsParts {
  readonly tokens: ApprovalTokens;
  readonly jobs: Pick<JobStore, "get">;
  readonly pipelines: Pick<PipelineStore, "list">;
  readonly signals: Pick<SignalStore, "signal" | "shownHash" | "hasSignal">;
  readonly clock: Pick<Clock, "now">;
  readonly onSignalled: (jobId: string, signal: string) => void;
}

/** Decisions by people who have nothing but a link. */
export class Approvals {
  readonly #parts: ApprovalsParts;

  constructor(parts: ApprovalsParts) {
    this.#parts = parts;
  }

  async link(id: string, wait: string, options: ApprovalLinkOptions): Promise<string> {
    const { tokens, jobs, signals } = this.#parts;
    const baseUrl = checkedBaseUrl(options?.baseUrl);
    const jobId = checkedJobId(id);
    const job = await jobs.get(jobId);
    if (job === null) throw new ApprovalError(`There is no job ${jobId}.`);
    if ((await this.#waitOf(job, wait)) === null) {
      throw new ApprovalError(`Pipeline "${job.pipeline}" has no wait "${wait}".`);
    }
    const stages = Object.keys(job.outputs).sort();
    const hash = await signals.shownHash(jobId, stages);
    if (hash === null) throw new ApprovalError(`Job ${jobId} has ended: there is nothing to decide.`);
    const scope = { jobId, wait, by: options.by, stages, hash };
    return `${baseUrl}/approvals/${tokens.sign(scope, options.expiresInMs, this.#nowMs())}`;
  }

  async read(token: string): Promise<Approval> {
    const { tokens, jobs, signals } = this.#parts;
    const { hash, ...scope } = tokens.scopeOf(token, this.#nowMs());
    const job = await jobs.get(scope.jobId);
    if (job === null) return { ...scope, job, isCurrent: false, isDecided: false, schema: null };
    const [shown, isSignalled, stage] = await Promise.all([
      signals.shownHash(scope.jobId, scope.stages),
      signals.hasSignal(scope.jobId, scope.wait),
      this.#waitOf(job, scope.wait),
    ]);
    // Of a job that has ended only its history tells.
    const isDecided =
      isSignalled || job.waits.findLast(({ stage }) => stage === scope.wait)?.outcome === "signalled";
    return { ...scope, job, isCurrent: shown === hash, isDecided, schema: stage?.signalSchema ?? null };
  }

  async decide(token: string, value: unknown): Promise<Decision> {
    const { tokens, signals, onSignalled } = this.#parts;
    const { jobId, wait, by, stages, hash } = tokens.scopeOf(token, this.#nowMs());
    const answer = await signals.signal(jobId, {
      name: wait,
      value: encodePayload(value),
      by,
      ifVersion: null,
      ifShown: JSON.stringify({ stages, hash }),
      isRecorded: false,
    });
    if (answer === "signalled") onSignalled(jobId, wait);
    return { answer, jobId };
  }

  async #waitOf({ pipeline }: Job, wait: string) {
    const known = (await this.#parts.pipelines.list()).find(({ name }) => name === pipeline);
    return known?.stages.find(({ name, kind }) => name === wait && kind === "wait") ?? null;
  }

  #nowMs(): number {
    return this.#parts.clock.now().getTime();
  }
}

function checkedBaseUrl(given: unknown): string {
  if (typeof given === "string" && /^https?:\/\/[^\s?#]+$/.test(given)) return given.replace(/\/+$/, "");
  throw new ApprovalError(
    'An approval link needs `baseUrl`: where the server is mounted, such as "https://example.com/lockstep".',
  );
}
