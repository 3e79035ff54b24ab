import type { AttemptSpan, JobTracing } from "../../events/job-tracing.ts";
import { outcomeOfAnswer, outcomeOfThrown } from "../../jobs/outcomes/outcome.ts";
import type { BatchHandler } from "../../jobs/pipelines/batch-option.ts";
import type { StageContext } from "../../jobs/pipelines/stage-context.ts";
import { stageKey, type WorkStage } from "../../jobs/pipelines/work-stage.ts";
import type { Claim } from "../../store/working/claim.ts";
import { BatchSignal } from "./batch-signal.ts";

/** What it needs of the attempts it is for. */
export interface BatchMember {
  readonly jobId: string;
  readonly context: StageContext;
  readonly span: AttemptSpan | null;
}

interface Joined {
  readonly member: BatchMember;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * One call of a batch handler. Each of its attempts is checked by itself, and then joins the call or leaves it; when each
 * has done so, the handler is called, and those that have joined get their answers.
 */
export class BatchCall {
  readonly #stage: WorkStage;
  readonly #tracing: Pick<JobTracing, "call"> | null;
  /** The jobs that have neither joined nor left. */
  readonly #expected: Set<string>;
  readonly #joined: Joined[] = [];
  #signal: BatchSignal | null = null;

  constructor(
    stage: WorkStage,
    claims: readonly Pick<Claim, "jobId">[],
    tracing: Pick<JobTracing, "call"> | null,
  ) {
    this.#stage = stage;
    this.#tracing = tracing;
    this.#expected = new Set(claims.map(({ jobId }) => jobId));
  }

  /** Settles as the handler's answer for this job does. */
  join(member: BatchMember): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#joined.push({ member, resolve, reject });
      this.#arrived(member);
    });
  }

  /** The attempt is over. If it has not joined, its payload was refused or `when` said no: then the handler is called without it. */
  leave(member: BatchMember): void {
    this.#arrived(member);
    this.#signal?.ended(member.context);
  }

  #arrived({ jobId }: BatchMember): void {
    const isNews = this.#expected.delete(jobId);
    if (isNews && this.#expected.size === 0 && this.#joined.length > 0) void this.#call();
  }

  async #call(): Promise<void> {
    const spans = this.#joined.flatMap(({ member }) => member.span ?? []);
    const span = this.#tracing?.call(this.#stage, spans) ?? null;
    try {
      const answers = await (span === null ? this.#callHandler() : span.within(() => this.#callHandler()));
      this.#answer(answers);
      span?.end({ kind: "done", value: undefined });
    } catch (thrown) {
      span?.end(outcomeOfThrown(thrown, this.#stage.definition.options.retry, 1));
      for (const { reject } of this.#joined) reject(thrown);
    }
  }

  async #callHandler(): Promise<unknown> {
    // What the handler of a stage with `batch` takes was checked by its types alone, as for any handler.
    const handler = this.#stage.definition.handler as unknown as BatchHandler;
    const contexts = this.#joined.map(({ member }) => member.context);
    this.#signal = new BatchSignal(contexts);
    return await handler(contexts, this.#signal);
  }

  #answer(answers: unknown): void {
    if (Array.isArray(answers)) {
      this.#answerEach(answers);
    } else if (answers === undefined || outcomeOfAnswer(answers).kind !== "done") {
      for (const { resolve } of this.#joined) resolve(answers);
    } else {
      throw this.#refusal(`returned ${answers === null ? "null" : `a value of type ${typeof answers}`}`);
    }
  }

  #answerEach(answers: readonly unknown[]): void {
    if (answers.length !== this.#joined.length) {
      // Nobody will wait for these, and one that rejects unheard would end the process.
      for (const answer of answers) Promise.resolve(answer).catch(() => {});
      throw this.#refusal(`returned ${answers.length}`);
    }
    for (const [index, { resolve }] of this.#joined.entries()) resolve(answers[index]);
  }

  #refusal(what: string): TypeError {
    const count = this.#joined.length;
    const jobs = count === 1 ? "1 job" : `${count} jobs`;
    return new TypeError(
      `The batch handler of ${stageKey(this.#stage)} was called with ${jobs} and ${what}: it must return an array with one answer for each job, in their order.`,
    );
  }
}
