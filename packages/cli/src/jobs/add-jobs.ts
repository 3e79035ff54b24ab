import type { Added, AddOptions } from "lockstep";
import { RefusedError } from "lockstep";
import type { CommandContext } from "../command-line/command.ts";
import { CliError } from "../errors/cli-error.ts";
import { asCliError } from "../errors/error-report.ts";
import { knownPipeline } from "../errors/known-pipeline.ts";
import { ProgressBar } from "../output/progress-bar.ts";
import { exitCode } from "../session/exit-code.ts";
import type { GivenPayload } from "./read-payloads.ts";

type Context = Pick<CommandContext, "act" | "reader" | "output" | "config" | "io" | "signal">;

const jobsPerAct = 1_000;

/** Adds one job; refuses an unknown pipeline with the nearest name. */
export async function addJob(
  context: Context,
  pipeline: string,
  payload: unknown,
  options: AddOptions,
): Promise<Added> {
  const [added] = await addSome(context, pipeline, [{ payload, ...options }]);
  if (added === undefined) throw new Error("An add gave no answer.");
  return added;
}

/** Adds all of them, a thousand at a time. What was added stays, even if a later one is refused. */
export async function addManyJobs(
  context: Context,
  pipeline: string,
  payloads: AsyncIterable<GivenPayload>,
  options: AddOptions,
): Promise<number> {
  const { output, io, config, signal } = context;
  const bar = new ProgressBar(io, {
    title: `adding to ${pipeline}`,
    isRedrawn: config.isRedrawn,
    isSilent: config.talk === "quiet",
  });
  const all: Added[] = [];
  let count = 0;
  let some: unknown[] = [];
  let share: number | null = null;
  const flush = async () => {
    const items = some.map((payload) => ({ payload, ...options }));
    some = [];
    if (items.length === 0) return;
    const added = await addSome(context, pipeline, items);
    count += added.length;
    bar.update({ share, text: `${count.toLocaleString("en-US")} jobs` });
    if (output.format === "json") all.push(...added);
    else for (const one of added) await output.line(() => one.id, one);
  };
  try {
    for await (const given of payloads) {
      if (signal.aborted) break;
      some.push(given.payload);
      share = given.share;
      if (some.length === jobsPerAct) await flush();
    }
    if (!signal.aborted) await flush();
  } catch (thrown) {
    throw count === 0 ? thrown : partly(thrown, count);
  } finally {
    bar.end();
  }
  if (output.format === "json") await output.record({ data: all }, () => []);
  output.note(`${count.toLocaleString("en-US")} jobs added to ${pipeline}.`);
  return exitCode("done");
}

async function addSome(
  { act, reader }: Context,
  pipeline: string,
  items: readonly ({ payload: unknown } & AddOptions)[],
): Promise<Added[]> {
  try {
    return await act("jobs.add", (writes) => writes.add(pipeline, items));
  } catch (thrown) {
    if (thrown instanceof RefusedError && thrown.code === "LS002") {
      await knownPipeline(await reader(), pipeline);
    }
    throw thrown;
  }
}

function partly(thrown: unknown, count: number): CliError {
  const { code, message, why, advice } = asCliError(thrown);
  return new CliError({
    exit: "partlyDone",
    code,
    message: `${message} The first ${count.toLocaleString("en-US")} jobs were already added, and stay.`,
    why,
    advice,
    cause: thrown,
  });
}
