import { type BulkAction, type BulkCount, type BulkRequest, parseJobFilter } from "lockstep";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { exitCode } from "./exit-code.ts";
import type { Flags, FlagValues } from "./flags.ts";
import { ProgressBar } from "./progress-bar.ts";

/** What says which jobs, and how. */
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

/** Steers all jobs of a filter as a bulk action: counts, asks, begins, and goes through it step by step. */
export async function bulkJobs(context: CommandContext, order: BulkOrder): Promise<number> {
  const { engine, output, confirm, act } = context;
  const request = requestOf(order, context.io.clock.now());
  const count = await (await engine()).bulk.preview(request);
  if (order.flags["dry-run"]) {
    await output.record({ action: order.action, count }, () => [`It would be done to ${countText(count)}.`]);
    return exitCode("done");
  }
  if (count.value === 0 && count.exact) {
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

function requestOf({ action, ids, flags, fromStage }: BulkOrder, now: Date): BulkRequest {
  if (flags.filter === undefined && ids.length === 0) {
    throw usageError("Which jobs?", `Use it as: lockstep jobs ${action} ID… or --filter FILTER`);
  }
  return {
    action,
    ...(flags.filter === undefined ? {} : { filter: parseJobFilter(flags.filter, now) }),
    ...(ids.length === 0 ? {} : { ids }),
    ...(fromStage === undefined ? {} : { fromStage }),
  };
}

/** A server may be at it too: then each does some. */
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
      const isMoved = seenOf(stepped) > seenOf(action) || stepped.status !== "running";
      action = stepped;
      bar.update({ share: shareOf(action), text: `${seenOf(action).toLocaleString("en-US")} jobs` });
      if (isMoved && output.format === "jsonl") await output.line(() => "", action);
      if (!isMoved) await io.clock.sleep(busyMs, signal);
    }
  } finally {
    bar.end();
  }
  return action.status === "running" ? await abort(context, action) : action;
}

/** Left as it is, the next server would go on with it. */
async function abort({ act, engine, output }: CommandContext, { id }: BulkAction): Promise<BulkAction> {
  await act("bulk.abort", (writes) => writes.abortBulk(id));
  const aborted = (await (await engine()).bulk.get(id)) as BulkAction;
  output.note(`Stopped after ${seenOf(aborted).toLocaleString("en-US")} jobs; what was done stays.`);
  return aborted;
}

async function tellEnd({ output }: Pick<CommandContext, "output">, action: BulkAction): Promise<number> {
  const skipped = Object.entries(action.skipped).map(
    ([answer, jobs]) => `${jobs} left as they are (${answer})`,
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

function countText({ value, exact, capped }: BulkCount): string {
  const jobs = `${(capped ? value - 1 : value).toLocaleString("en-US")} ${value === 1 ? "job" : "jobs"}`;
  if (exact) return jobs;
  return capped ? `more than ${jobs}` : `at least ${jobs}`;
}
