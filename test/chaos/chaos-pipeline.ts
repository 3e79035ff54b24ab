import { randomUUID } from "node:crypto";
import { definePipeline, type StageContext } from "lockstep";
import type { HandlerContext } from "../../packages/engine/src/worker/running/handler-context.ts";
import type { Journal } from "./journal.ts";
import { planOf, type StageName, timeoutInLeases } from "./run-plan.ts";

export interface ChaosPayload {
  readonly seed: number;
}

/** What an attempt leaves in the database: which run it was. */
export interface ChaosOutput {
  readonly run: string;
}

/** Three stages whose handlers tell the journal what they do, under which claim. Without a journal, only for adding. */
export function chaosPipeline(leaseMs: number, journal: Journal | null) {
  // Losses are what this is about: no job may end for having had too many.
  // So many processors that two workers alone have room for all: a freed job is then claimed at once.
  const options = { processors: 40, maxAttempts: 8, maxLosses: 100, retry: { baseMs: leaseMs / 5 } };
  const handler = (stage: StageName) => (context: StageContext<ChaosPayload>) =>
    run(context, stage, leaseMs, journal);
  return definePipeline<ChaosPayload>("chaos")
    .stage("collect", { ...options, timeoutMs: null }, handler("collect"))
    .stage("shape", { ...options, timeoutMs: timeoutInLeases * leaseMs }, handler("shape"))
    .stage("deliver", { ...options, timeoutMs: null }, handler("deliver"));
}

async function run(
  context: StageContext<ChaosPayload>,
  stage: StageName,
  leaseMs: number,
  journal: Journal | null,
): Promise<ChaosOutput> {
  const { jobId, payload, attempt, signal } = context;
  const run = randomUUID();
  // Handlers have no business with it; the judge has.
  const { token } = (context as unknown as HandlerContext).claim;
  journal?.write({ kind: "start", run, jobId, stage, token });
  const { durationMs, end, isHeedless } = planOf(payload.seed, stage, attempt, leaseMs);
  await linger(durationMs, isHeedless ? null : signal);
  journal?.write({ kind: "end", run });
  if (end === "fail") throw new Error(`run ${run}`);
  return { run };
}

function linger(ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
