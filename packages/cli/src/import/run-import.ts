import type { CommandContext } from "../command-line/command.ts";
import { knownPipeline } from "../errors/known-pipeline.ts";
import { unknownName } from "../errors/unknown-name.ts";
import { ProgressBar } from "../output/progress-bar.ts";
import { exitCode } from "../session/exit-code.ts";
import { type HandOverParts, handOver } from "./hand-over.ts";
import { type ImportReport, isPartlyDone, type QueueReport } from "./import-report.ts";
import { importSchedules } from "./import-schedules.ts";
import { queueTargets } from "./queue-targets.ts";
import type { Place, Source, SourceQueue } from "./source.ts";
import { Transactions } from "./store/transactions.ts";
import { jobsText, tellReport } from "./tell-report.ts";

export interface ImportOrder {
  /** "email=send-email": only these queues. None: every queue that has a pipeline of its name. */
  readonly queues: readonly string[];
  readonly isDryRun: boolean;
  readonly jobsPerBatch: number;
  /** Opens the source; Lockstep's own connection and the names of its pipelines may help. */
  readonly open: (here: Transactions, pipelines: readonly string[]) => Promise<Source>;
}

interface Chosen {
  readonly queue: SourceQueue;
  readonly pipeline: string | null;
}

const mostShown = 10;

/** Takes jobs and schedules over from another queue: counts, asks, and hands over batch by batch. */
export async function runImport(context: CommandContext, order: ImportOrder): Promise<number> {
  const names = (await (await context.reader()).pipelines()).map(({ name }) => name);
  const here = await Transactions.connect(await context.databaseUrl(), "Lockstep");
  let source: Source | undefined;
  try {
    source = await order.open(here, names);
    return await takeOver(context, order, { source, here, names });
  } finally {
    await source?.close();
    await here.close();
  }
}

async function takeOver(
  context: CommandContext,
  order: ImportOrder,
  parts: { readonly source: Source; readonly here: Transactions; readonly names: readonly string[] },
): Promise<number> {
  const { source, here, names } = parts;
  const { isDryRun, jobsPerBatch } = order;
  const { output, confirm, io, signal } = context;
  const chosen = await chooseQueues(context, order, source, names);
  const pipelineOf = (queue: string) => chosen.find((one) => one.queue.name === queue)?.pipeline ?? null;
  const isChosen = ({ queue }: { queue: string }) => chosen.some((one) => one.queue.name === queue);
  const schedules = (await source.schedules()).filter(isChosen);
  const total = chosen.reduce((sum, one) => sum + (one.pipeline === null ? 0 : movable(one.queue)), 0);
  const movableSchedules = schedules.filter(({ queue }) => pipelineOf(queue) !== null).length;
  const isNothing = total === 0 && movableSchedules === 0;
  const question = `Take over ${jobsText(total)} and ${movableSchedules === 1 ? "1 schedule" : `${movableSchedules} schedules`} from ${source.kind}?`;
  if (!isDryRun && !isNothing && !(await confirm(question))) {
    output.note("Nothing was changed.");
    return exitCode("done");
  }
  const engine = await context.engine();
  const handing: HandOverParts = {
    source,
    engine,
    transactions: here,
    kind: source.kind,
    jobsPerBatch,
    isDryRun,
  };
  const bar = new ProgressBar(io, {
    title: isDryRun ? "trying" : `importing from ${source.kind}`,
    isRedrawn: context.config.isRedrawn,
    isSilent: context.config.talk === "quiet",
  });
  const reports: QueueReport[] = [];
  let seen = 0;
  const onSeen = (count: number) => {
    seen += count;
    bar.update({ share: total === 0 ? null : Math.min(1, seen / total), text: jobsText(seen) });
  };
  const scheduleReports = isNothing
    ? []
    : await importSchedules({ ...handing, engine, now: io.clock.now() }, schedules, pipelineOf);
  try {
    for (const { queue, pipeline } of chosen) {
      const isLeft = pipeline === null || movable(queue) === 0 || signal.aborted;
      reports.push(
        isLeft
          ? untouched(queue, pipeline)
          : await importQueue(handing, { queue, pipeline }, { signal, onSeen }),
      );
    }
  } finally {
    bar.end();
  }
  const report: ImportReport = {
    source: source.kind,
    isDryRun,
    queues: reports,
    schedules: scheduleReports,
    remarks: source.remarks,
  };
  if (!isDryRun && !isNothing) await recordImport(context, report);
  await tellReport(context, report);
  if (signal.aborted)
    output.note(`Stopped after ${jobsText(seen)}; what was done stays, and it can be run again.`);
  return exitCode(isPartlyDone(report) ? "partlyDone" : "done");
}

async function chooseQueues(
  { reader }: CommandContext,
  { queues }: ImportOrder,
  source: Source,
  names: readonly string[],
): Promise<Chosen[]> {
  const there = await source.queues();
  const targets = queueTargets(queues);
  if (targets.size === 0) {
    return there.map((queue) => ({ queue, pipeline: names.includes(queue.name) ? queue.name : null }));
  }
  const chosen: Chosen[] = [];
  for (const [name, pipeline] of targets) {
    const queue = there.find((one) => one.name === name);
    if (queue === undefined) {
      throw unknownName({
        kind: "queue",
        message: `There is no queue "${name}" in ${source.kind}.`,
        name,
        names: there.map((one) => one.name),
        advice: "Without --queue, a dry run lists them.",
      });
    }
    await knownPipeline(await reader(), pipeline);
    chosen.push({ queue, pipeline });
  }
  return chosen;
}

async function importQueue(
  parts: HandOverParts,
  { queue, pipeline }: { readonly queue: SourceQueue; readonly pipeline: string },
  { signal, onSeen }: { readonly signal: AbortSignal; readonly onSeen: (count: number) => void },
): Promise<QueueReport> {
  const { source, isDryRun } = parts;
  const refusals: { id: string; reason: string }[] = [];
  let imported = 0;
  let refused = 0;
  let place: Place = null;
  if (!isDryRun) await source.begin(queue.name);
  try {
    do {
      const handed = await handOver(parts, { queue: queue.name, pipeline }, place);
      imported += handed.imported.length;
      refused += handed.refused.length;
      for (const { job, reason } of handed.refused) {
        if (refusals.length < mostShown) refusals.push({ id: job.id, reason });
      }
      onSeen(handed.imported.length + handed.refused.length);
      place = handed.next;
    } while (place !== null && !signal.aborted);
  } finally {
    if (!isDryRun) await source.end(queue.name);
  }
  return { ...untouched(queue, pipeline), imported, refused, refusals };
}

/** One line of the audit for all of it: who took over what. */
async function recordImport({ act }: CommandContext, report: ImportReport): Promise<void> {
  const jobs = report.queues.reduce((sum, { imported }) => sum + imported, 0);
  const schedules = report.schedules.filter(({ imported }) => imported).length;
  await act("jobs.import", async (writes) =>
    writes.note({
      target: report.source,
      outcome: isPartlyDone(report) ? "partly" : "imported",
      detail: { jobs, schedules },
    }),
  );
}

function untouched({ name, ...counts }: SourceQueue, pipeline: string | null): QueueReport {
  return { queue: name, pipeline, ...counts, imported: 0, refused: 0, refusals: [] };
}

function movable({ waiting, scheduled, retrying, held }: SourceQueue): number {
  return waiting + scheduled + retrying + held;
}
