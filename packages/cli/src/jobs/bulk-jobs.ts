import { type BulkAction, type BulkCount, type BulkRequest, type JobFilter, parseJobFilter } from "lockstep";
import type { CommandContext } from "../command-line/command.ts";
import type { Flags, FlagValues } from "../command-line/flags.ts";
import { usageError } from "../errors/cli-error.ts";
import { refuseUnknownNames } from "../errors/known-pipeline.ts";
import { ProgressBar } from "../output/progress-bar.ts";
import { exitCode } from "../session/exit-code.ts";

/** Which jobs, and how. */
export const bulkFlags = {
  filter: {
    type: "text",
    placeholder: "FILTER",
    sentence: "All jobs that match, such as 'status:failed pipeline:document-ocr since:24h'.",
  },
  "dry-run": { type: "switch", sentence: "Change nothing; say how many jobs match." },
} as const satisfies Flags;

export interface BulkOrder {
  readonly action: "cancel" | "retry";
  readonly ids: readonly string[];
  readonly flags: FlagValues<typeof bulkFlags>;
  readonly fromStage?: string | undefined;
}

const busyMs = 100;
const mostCounted = 10_000;
// Why a job was left as it is, by the queue's answer.
const reasons: Readonly<Record<string, string>> = {
  already_finished: "they have ended",
  not_finished: "live, or completed",
  not_found: "no longer there",
  conflict: "a job with the same dedup key is live",
};

/** The statuses of a bulk action whose filter names none. */
const meantStatuses = {
  cancel: ["scheduled", "pending", "processing", "retrying"],
  retry: ["failed"],
} as const;

/** Steers all jobs of a filter as a bulk action: counts, asks, begins, and goes through it step by step. */
export async function bulkJobs(context: CommandContext, order: BulkOrder): Promise<number> {
  const { reader, output, confirm, act, signal } = context;
  const request = requestOf(order, context.io.clock.now());
  await refuseUnknownNames(await reader(), request.filter ?? {});
  const count = await countAll(context, request);
  if (signal.aborted) return exitCode("done");
  if (order.flags["dry-run"]) {
    await output.record({ action: order.action, count }, () => [`It would affect ${countText(count)}.`]);
    return exitCode("done");
  }
  if (count.value === 0) {
    output.note("No job matches.");
    return exitCode("done");
  }
  if (!(await confirm(`${order.action === "cancel" ? "Cancel" : "Retry"} ${countText(count)}?`))) {
    output.note("Nothing was changed.");
    return exitCode("done");
  }
  const started = await act("bulk.start", (writes) => writes.startBulk(request));
  return await tellEnd(context, await runToEnd(context, started));
}

/** If the count stops early, it continues until all are counted, or more than 10,000. */
async function countAll(context: CommandContext, request: BulkRequest): Promise<BulkCount> {
  const { engine, reader, io, config, signal } = context;
  const count = await (await engine()).bulk.preview(request);
  if (count.exact || count.capped) return count;
  const filter: JobFilter = { statuses: meantStatuses[request.action], ...request.filter };
  const queue = await reader();
  const bar = new ProgressBar(io, {
    title: "counting",
    isRedrawn: config.isRedrawn,
    isSilent: config.talk === "quiet",
  });
  let value = 0;
  let cursor: string | undefined;
  try {
    do {
      const page = await queue.jobs(filter, { limit: 200, cursor });
      value += page.jobs.length;
      cursor = page.next ?? undefined;
      bar.update({ share: null, text: `${jobsText(value)}${lookedText(page.scannedTo)}` });
    } while (cursor !== undefined && value <= mostCounted && !signal.aborted);
  } finally {
    bar.end();
  }
  const capped = value > mostCounted;
  return { value: capped ? mostCounted + 1 : value, exact: cursor === undefined && !capped, capped };
}

function requestOf({ action, ids, flags, fromStage }: BulkOrder, now: Date): BulkRequest {
  if (flags.filter === undefined && ids.length === 0) {
    throw usageError("Which jobs?", `Usage: lockstep jobs ${action} ID… or --filter FILTER`);
  }
  return {
    action,
    ...(flags.filter === undefined ? {} : { filter: parseJobFilter(flags.filter, now) }),
    ...(ids.length === 0 ? {} : { ids }),
    ...(fromStage === undefined ? {} : { fromStage }),
  };
}

/** A server may work on it too: then each does a part. */
async function runToEnd(context: CommandContext, started: BulkAction): Promise<BulkAction> {
  const { engine, io, config, signal, output } = context;
  const { bulk } = await engine();
  const bar = new ProgressBar(io, {
    title: started.action === "cancel" ? "cancelling" : "retrying",
    isRedrawn: config.isRedrawn,
    isSilent: config.talk === "quiet",
  });
  let action = started;
  try {
    while (action.status === "running" && !signal.aborted) {
      const stepped = (await bulk.step(action.id)) ?? action;
      const isMoved =
        seenOf(stepped) > seenOf(action) ||
        stepped.lookedTo?.getTime() !== action.lookedTo?.getTime() ||
        stepped.status !== "running";
      action = stepped;
      // With an exact count, the share shows the progress.
      const looked = action.matched.exact ? "" : lookedText(action.lookedTo);
      bar.update({ share: shareOf(action), text: `${jobsText(seenOf(action))}${looked}` });
      if (isMoved && output.format === "jsonl") await output.line(() => "", action);
      if (!isMoved) await io.clock.sleep(busyMs, signal);
    }
  } finally {
    bar.end();
  }
  return action.status === "running" ? await abort(context, action) : action;
}

/** Otherwise the next server would continue it. */
async function abort({ act, engine, output }: CommandContext, { id }: BulkAction): Promise<BulkAction> {
  await act("bulk.abort", (writes) => writes.abortBulk(id));
  const aborted = (await (await engine()).bulk.get(id)) as BulkAction;
  output.note(`Stopped after ${seenOf(aborted).toLocaleString("en-US")} jobs; what was done stays.`);
  return aborted;
}

async function tellEnd({ output }: Pick<CommandContext, "output">, action: BulkAction): Promise<number> {
  const skipped = Object.entries(action.skipped).map(
    ([answer, jobs]) => `${jobs} left as they are (${reasons[answer] ?? answer})`,
  );
  const failed = action.failed === 0 ? [] : [`${action.failed} failed`];
  if (output.format !== "jsonl") {
    await output.record(action, () => [
      [`${action.done} ${action.action === "cancel" ? "cancelled" : "retried"}`, ...skipped, ...failed].join(
        ", ",
      ),
      ...action.failures.map(({ jobId, message }) => `  ${jobId}  ${output.safe(message)}`),
    ]);
  }
  return exitCode(action.status === "done" && action.failed === 0 ? "done" : "partlyDone");
}

function seenOf({ done, skipped, failed }: BulkAction): number {
  return Object.values(skipped).reduce((sum, jobs) => sum + jobs, done + failed);
}

function shareOf(action: BulkAction): number | null {
  const { status, matched } = action;
  if (status === "done") return 1;
  return matched.exact && matched.value > 0 ? Math.min(1, seenOf(action) / matched.value) : null;
}

function jobsText(value: number): string {
  return `${value.toLocaleString("en-US")} ${value === 1 ? "job" : "jobs"}`;
}

function lookedText(lookedTo: Date | null): string {
  return lookedTo === null ? "" : `, searched back to ${lookedTo.toISOString()}`;
}

function countText({ value, capped }: BulkCount): string {
  return capped ? `more than ${jobsText(value - 1)}` : jobsText(value);
}
