import type { AddOptions } from "lockstep";
import { type CommandContext, defineCommand } from "../../command-line/command.ts";
import { usageError } from "../../errors/cli-error.ts";
import { addJob, addManyJobs } from "../../jobs/add-jobs.ts";
import { addFlags, addOptionsOf } from "../../jobs/add-options-of.ts";
import { type GivenPayload, readPayloads } from "../../jobs/read-payloads.ts";
import { watchJob } from "../../jobs/watch-job.ts";
import { exitCode } from "../../session/exit-code.ts";

export const addJobsCommand = defineCommand({
  name: "jobs add",
  summary: "Adds a job, or one for each line of JSON, and prints the ids.",
  examples: [
    [`lockstep jobs add website-analysis '{"site": "example.org"}'`, "one job"],
    [
      "lockstep jobs add website-analysis @site.json --in 15m --owner ada",
      "for later, with its payload in a file",
    ],
    ["jq -c '.sites[]' all.json | lockstep jobs add website-analysis -", "one job for each line of stdin"],
    [
      `lockstep jobs add website-analysis '{"site": "example.org"}' --wait`,
      "wait for it, and print its result",
    ],
  ],
  usage: "PIPELINE [PAYLOAD|-|@FILE]",
  words: { least: 1, most: 2 },
  completes: "pipelines",
  flags: {
    ...addFlags,
    each: { type: "switch", sentence: "The input is one array: add a job for each item." },
    wait: { type: "switch", sentence: "Wait until the job has ended, and print its result." },
  },
  async run(context) {
    const { flags, output, io, words } = context;
    const [pipeline = "", word] = words;
    const options = addOptionsOf(flags, io.clock.now());
    if (word === "-") output.detail("reading stdin");
    const payloads = readPayloads(word, { isEach: flags.each }, io);
    try {
      return await add(context, pipeline, payloads, options);
    } finally {
      // A stdin that is still read from would keep the process alive.
      await payloads.return();
    }
  },
});

async function add(
  context: CommandContext & { flags: { wait: boolean } },
  pipeline: string,
  payloads: AsyncGenerator<GivenPayload, void, undefined>,
  options: AddOptions,
): Promise<number> {
  const { flags, output } = context;
  const first = await payloads.next();
  if (first.done) throw usageError("There is no payload to add.", "Write an empty payload as {}.");
  const second = await payloads.next();
  if (second.done) {
    const added = await addJob(context, pipeline, first.value.payload, options);
    if (!added.created)
      output.note(`A job with this dedup key already exists; it is ${added.status ?? "finished"}.`);
    if (flags.wait) return await watchJob(context, added.id, { tells: "result" });
    await output.record(added, () => [added.id]);
    return exitCode("done");
  }
  if (flags.wait) throw usageError("--wait is for one job, and there are several.");
  if (options.dedupKey !== undefined) throw usageError("--dedup-key is for one job, and there are several.");
  return await addManyJobs(context, pipeline, joined([first.value, second.value], payloads), options);
}

async function* joined(
  first: readonly GivenPayload[],
  rest: AsyncIterable<GivenPayload>,
): AsyncGenerator<GivenPayload, void, undefined> {
  yield* first;
  yield* rest;
}
