import { PermanentError, type StageContext } from "lockstep";
import { modelErrorOf, usageIn } from "./model-error.ts";
import type { ModelUsage } from "./model-usage.ts";

/** What a call needs of a handler's context: hand it the context itself. */
export type ModelCallContext = Pick<StageContext, "jobId" | "once" | "stream" | "log">;

/** What every call takes besides the options of the AI SDK. */
export interface ModelCallOptions {
  /** Names the call within its job: the effect under which its answer is kept. */
  readonly key: string;
  /**
   * What to do when an earlier attempt began the call and nobody knows how it ended: ask again (default), or fail the job, so that a person
   * decides.
   */
  readonly unknown?: "retry" | "fail" | undefined;
  /**
   * The header in which the effect's idempotency key is sent, such as "idempotency-key", for a provider or gateway that answers a repeated key
   * without asking its model again. None by default: one that also keeps bad answers would repeat them to every attempt.
   */
  readonly idempotencyHeader?: string | undefined;
  /**
   * What the call counts against budgets of the pipeline, by their names: in tokens, in money, or in whatever they count. Counted once, with the answer that is
   * kept; an answer that turns out to be of no use counts too, as often as one is made.
   */
  readonly spends?: Readonly<Record<string, (usage: ModelUsage) => number>> | undefined;
  /** What the model is asked about, for the sentences of errors: "page 3". The key by default. */
  readonly about?: string | undefined;
  /** What to look at when the provider refuses for good, for the same: "OPENAI_API_KEY". */
  readonly settings?: string | undefined;
  /** Further headers of the request. */
  readonly headers?: Record<string, string | undefined> | undefined;
}

/** What the AI SDK is told by the engine. */
export interface ToldSettings {
  /** The engine retries. */
  readonly maxRetries: 0;
  readonly abortSignal: AbortSignal;
  readonly headers: Record<string, string | undefined>;
}

/** Asks a model at most once per job and key, as far as the ledger can know: later calls get the answer that was kept. */
export async function modelCall<Answer extends { readonly usage: ModelUsage }>(
  context: ModelCallContext,
  options: ModelCallOptions,
  ask: (settings: ToldSettings) => Promise<Answer>,
): Promise<Answer> {
  const { key, unknown = "retry", idempotencyHeader, headers = {}, settings, spends = {} } = options;
  const kept = await context.once(
    key,
    async ({ signal, idempotencyKey, spend }) => {
      const count = (usage: ModelUsage) => {
        for (const [budget, amountOf] of Object.entries(spends)) spend(budget, amountOf(usage));
      };
      // Ends with the call: whatever stops listening to an answer stops the model, too.
      const over = new AbortController();
      try {
        const answer = await ask({
          maxRetries: 0,
          abortSignal: AbortSignal.any([signal, over.signal]),
          headers:
            idempotencyHeader === undefined ? headers : { ...headers, [idempotencyHeader]: idempotencyKey },
        });
        if (answer.usage.totalTokens === 0 && Object.keys(spends).length > 0) {
          context.log.warn(
            `The provider does not say what model call "${key}" has used, so nothing is counted`,
          );
        }
        count(answer.usage);
        return withoutNul(answer);
      } catch (thrown) {
        // Then the attempt's own reason is the one to tell.
        signal.throwIfAborted();
        const error = modelErrorOf(thrown, { about: aboutOf(options), settings });
        const usage = usageIn(error);
        if (usage !== null) count(usage);
        throw error;
      } finally {
        over.abort();
      }
    },
    { unknown },
  );
  if (kept === null || kept === undefined) {
    throw new PermanentError(
      `Model call "${key}" of job ${context.jobId} is recorded as done without its answer. ` +
        "Have it forgotten (engine.forgetEffects) and retry the job.",
    );
  }
  // An answer is JSON, and comes back as it was.
  return kept as Answer;
}

/** The call in the sentences of its errors. */
export function aboutOf({ key, about = `"${key}"` }: Pick<ModelCallOptions, "key" | "about">): string {
  return about;
}

/** PostgreSQL keeps no NUL characters, and a model may well make one. */
function withoutNul<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === "string" ? part.replaceAll("\0", "") : part,
  );
}
