import { existsSync } from "node:fs";
import { definePipeline, fanOut, type StageContext } from "lockstep";
import pg from "pg";
import { type Letter, sendLetter } from "./letter.ts";

/** What a job of a story asks its handler to do. */
export type Errand =
  | { readonly do: "answer" }
  /** Takes this long, the event loop free. */
  | { readonly do: "linger"; readonly forMs: number }
  /** Until the test says `finish`; unless it is heedless it also stops when its signal aborts. */
  | { readonly do: "wait"; readonly isHeedless?: boolean }
  /** Keeps the event loop busy, until there is a file of this name. */
  | { readonly do: "compute"; readonly untilThereIs: string }
  /** Writes a payment and ends its stage in one transaction; between the two, until the test says `finish`. */
  | { readonly do: "pay"; readonly databaseUrl: string; readonly isSureOfItsLease?: boolean }
  /** Takes its whole process along. */
  | { readonly do: "die" };

export interface ErrandOutput {
  /** The process that ran it. */
  readonly pid: number;
}

export interface RoundPayload {
  readonly errands: readonly Errand[];
  /** The process of this id dies soon after its handler asked for the children. */
  readonly diesAfterAsking?: number;
}

export type RelayPayload = { readonly [Stage in "collect" | "shape" | "deliver"]?: Errand };

const answer: Errand = { do: "answer" };
const finishers = new Map<string, () => void>();
const finished = new Set<string>();

/** Lets a waiting errand end, also one that has not begun yet. */
export function finishErrand(jobId: string): void {
  finished.add(jobId);
  finishers.get(jobId)?.();
}

/** The pipelines of the stories, alike in every process. */
export function storyPipelines({ processors }: { readonly processors?: number | undefined } = {}) {
  const options = { processors };
  const errand = definePipeline<Errand>("errand").stage("run", options, (context) =>
    run(context, context.payload),
  );
  return {
    errand,
    limited: definePipeline<Errand>("limited").stage(
      "run",
      { ...options, concurrency: 4, groupConcurrency: 2 },
      (context) => run(context, context.payload),
    ),
    /** Each errand as a child, tagged with what it does; then who did them. */
    round: definePipeline<RoundPayload>("round")
      .stage("go", options, ({ payload: { errands, diesAfterAsking } }) => {
        if (diesAfterAsking === process.pid) setTimeout(() => process.kill(process.pid, "SIGKILL"), 5);
        return fanOut(
          errand,
          errands.map((payload) => ({ payload, tags: [payload.do] })),
        );
      })
      .stage("count", options, async ({ children }) => (await children.results()).map(({ pid }) => pid)),
    relay: definePipeline<RelayPayload>("relay")
      .stage("collect", options, (context) => run(context, context.payload.collect ?? answer))
      .stage("shape", options, (context) => run(context, context.payload.shape ?? answer))
      .stage("deliver", options, (context) => run(context, context.payload.deliver ?? answer)),
    letter: definePipeline<Letter>("letter").stage("send", options, (context) =>
      sendLetter(context, context.payload, () => waitToBeFinished(context, true)),
    ),
  };
}

/** One pipeline as two releases of the same code have it: the newer one checks where the older one shaped. */
export function releasedPipelines({ processors }: { readonly processors?: number | undefined } = {}) {
  const options = { processors };
  const stageOf = (name: keyof ReleasePayload) => (context: StageContext<ReleasePayload>) =>
    run(context, context.payload[name] ?? answer);
  return {
    firstRelease: definePipeline<ReleasePayload>("release", { version: 1 })
      .stage("collect", options, stageOf("collect"))
      .stage("shape", options, stageOf("shape"))
      .stage("deliver", options, stageOf("deliver")),
    secondRelease: definePipeline<ReleasePayload>("release", { version: 2 })
      .stage("collect", options, stageOf("collect"))
      .stage("check", options, stageOf("check"))
      .stage("deliver", options, stageOf("deliver")),
  };
}

export type ReleasePayload = { readonly [Stage in "collect" | "shape" | "check" | "deliver"]?: Errand };

export type StoryPipelineName =
  | keyof ReturnType<typeof storyPipelines>
  | keyof ReturnType<typeof releasedPipelines>;

async function run(context: StageContext, errand: Errand): Promise<ErrandOutput> {
  context.log.info("began");
  if (errand.do === "linger") await linger(errand.forMs);
  if (errand.do === "wait") await waitToBeFinished(context, errand.isHeedless === true);
  if (errand.do === "compute") compute(errand.untilThereIs);
  if (errand.do === "pay") return await payIn(context, errand.databaseUrl, errand.isSureOfItsLease === true);
  if (errand.do === "die") process.kill(process.pid, "SIGKILL");
  return { pid: process.pid };
}

async function payIn(context: StageContext, databaseUrl: string, isSure: boolean): Promise<ErrandOutput> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("begin");
    if (isSure) await context.assertLease(client);
    await client.query("insert into public.payments values ($1, $2)", [context.jobId, process.pid]);
    context.log.info("paid");
    await waitToBeFinished(context, true);
    const output = await context.completeIn(client, { pid: process.pid });
    await client.query("commit");
    return output;
  } finally {
    // What is open then is rolled back.
    await client.end();
  }
}

function linger(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function waitToBeFinished({ jobId, signal, log }: StageContext, isHeedless: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    finishers.set(jobId, resolve);
    if (finished.has(jobId)) resolve();
    signal.addEventListener("abort", () => {
      log.info("aborted", { reason: signal.reason.reason });
      if (!isHeedless) reject(signal.reason);
    });
  });
}

function compute(untilThereIs: string): void {
  while (!existsSync(untilThereIs));
}
