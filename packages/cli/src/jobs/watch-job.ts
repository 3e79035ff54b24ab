import type { Job, JobRowNow, Reader } from "lockstep";
import type { CommandContext } from "../command-line/command.ts";
import { knownJob, refuseUnknownJob } from "../errors/known-job.ts";
import { durationText } from "../output/duration-text.ts";
import { ProgressBar } from "../output/progress-bar.ts";
import { paintStatus, statusText } from "../output/status-text.ts";
import { exitCode } from "../session/exit-code.ts";
import { FollowedLog, logLine } from "./attempt-log-lines.ts";

type Context = Pick<CommandContext, "reader" | "output" | "config" | "io" | "signal">;

const finished = ["completed", "failed", "cancelled"];
const shortestPollMs = 100;
const longestPollMs = 1_000;

/** Follows one job until it has ended, wherever it runs: a bar, its stage, what it logs and the time it takes; then tells its end. */
export async function watchJob(
  context: Context,
  id: string,
  { tells = "end" }: { readonly tells?: "end" | "result" } = {},
): Promise<number> {
  const { reader, output, config, io } = context;
  const queue = await reader();
  const stages = new StageCountOf(queue);
  const beganMs = io.clock.monotonicMs();
  const bar = new ProgressBar(io, {
    title: id.slice(-12),
    isRedrawn: config.isRedrawn,
    isSilent: config.talk === "quiet",
  });
  const log = new FollowedLog();
  let last: JobRowNow | null = null;
  try {
    for await (const row of rowsOf(queue, id, context)) {
      const isChange = last === null || stateOf(last) !== stateOf(row);
      last = row;
      const place = await stages.placeOf(row);
      const spentMs = io.clock.monotonicMs() - beganMs;
      // Off a terminal the time alone is no change.
      if (isChange || config.isRedrawn) {
        const text = `${row.status}  ${place.text}${config.isRedrawn ? `  ${durationText(spentMs)}` : ""}`;
        bar.update({ share: shareOf(row, place), text });
      }
      if (isChange || row.status === "processing") {
        const job = await queue.job(id);
        for (const line of job === null ? [] : log.newLinesOf(job)) bar.say(logLine(line, output));
      }
      if (isChange && output.format === "jsonl") await output.line(() => "", row);
    }
  } finally {
    bar.end();
  }
  if (last === null || !finished.includes(last.status)) return exitCode("failed");
  return await tellEnd(context, await knownJob(queue, id), tells);
}

/** Polls, which is right for every job: with events or without. */
async function* rowsOf(
  reader: Pick<Reader, "rows">,
  id: string,
  { io, signal }: Pick<Context, "io" | "signal">,
): AsyncGenerator<JobRowNow, void, undefined> {
  for (let pollMs = shortestPollMs; !signal.aborted; pollMs = Math.min(longestPollMs, pollMs * 1.2)) {
    const [row] = await reader.rows([id]);
    if (row === undefined) refuseUnknownJob(id);
    yield row;
    if (finished.includes(row.status)) return;
    await io.clock.sleep(pollMs, signal);
  }
}

async function tellEnd(
  { output }: Pick<Context, "output">,
  job: Job,
  tells: "end" | "result",
): Promise<number> {
  const took = durationText((job.finishedAt ?? job.addedAt).getTime() - job.addedAt.getTime());
  if (output.format !== "text") await output.record(job, () => []);
  if (output.format === "text" && tells === "result" && job.status === "completed") {
    await output.lines([JSON.stringify(job.result, null, 2)]);
  } else if (output.format === "text") {
    const word = paintStatus(statusText(job.status, output), job.status, output.paint);
    const why = job.error === null ? "" : `  ${output.safe(`${job.error.name}: ${job.error.message}`)}`;
    await output.lines([`${word}  ${job.pipeline}/${job.stage}  ${job.id}  ${took}${why}`]);
  }
  return exitCode(job.status === "completed" ? "done" : "failed");
}

function stateOf({ status, stage, attempt, progress, progressNote }: JobRowNow): string {
  return [status, stage, attempt, progress, progressNote].join();
}

interface StagePlace {
  readonly index: number;
  readonly stages: number;
  readonly text: string;
}

/** A job that has done one of three stages is a third on its way; its own report counts within its stage. */
function shareOf({ status, progress }: JobRowNow, { index, stages }: StagePlace): number {
  if (status === "completed") return 1;
  return (index + (progress ?? 0) / 100) / stages;
}

/** Where in its pipeline a job stands; the pipeline is read once. */
class StageCountOf {
  readonly #reader: Pick<Reader, "pipelines">;
  #names: readonly string[] | null = null;

  constructor(reader: Pick<Reader, "pipelines">) {
    this.#reader = reader;
  }

  async placeOf({ pipeline, stage }: JobRowNow): Promise<StagePlace> {
    this.#names ??=
      (await this.#reader.pipelines())
        .find(({ name }) => name === pipeline)
        ?.stages.map(({ name }) => name) ?? [];
    const index = this.#names.indexOf(stage);
    if (index < 0) return { index: 0, stages: 1, text: stage };
    return { index, stages: this.#names.length, text: `${stage} (${index + 1} of ${this.#names.length})` };
  }
}
