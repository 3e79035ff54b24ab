import { type CommandContext, defineCommand } from "../../command-line/command.ts";
import { usageError } from "../../errors/cli-error.ts";
import { readPayloads } from "../../jobs/read-payloads.ts";
import { type Steered, steerJobs } from "../../jobs/steer-jobs.ts";

export const signalJobCommand = defineCommand({
  name: "jobs signal",
  summary: "Tells a job what it waits for; a job that has not come to the wait yet finds it later.",
  examples: [
    [`lockstep jobs signal $ID approval '{"approved": true}'`, "a job that waits for an approval"],
    [`lockstep jobs signal --pipeline order --key order-7 paid '{"amount": 5}'`, "by its signal key"],
    ["lockstep jobs signal $ID approval @decision.json", "with the value in a file"],
  ],
  usage: "ID|--key KEY WAIT [VALUE|-|@FILE]",
  words: { least: 1, most: 3 },
  flags: {
    pipeline: {
      type: "text",
      placeholder: "NAME",
      completes: "pipelines",
      sentence: "The pipeline of --key.",
    },
    key: {
      type: "text",
      placeholder: "KEY",
      sentence: "The job that has this signal key, instead of an id.",
    },
  },
  async run(context) {
    const { act, flags } = context;
    const { id, wait, word } = wordsOf(context.words, flags);
    const value = await givenValue(context, word);
    const signal = async (): Promise<Steered> => {
      if (id !== null)
        return { id, answer: await act("jobs.signal", (writes) => writes.signal(id, wait, value)) };
      const { pipeline = "", key = "" } = flags;
      const told = await act("jobs.signal", (writes) => writes.signalByKey(pipeline, key, wait, value));
      return { id: told.jobId ?? key, answer: told.answer };
    };
    return await steerJobs(context, [id ?? ""], signal, {
      signalled: { exit: "done", sentence: "It continues." },
      kept: {
        exit: "done",
        sentence: "It has not come to the wait yet, or the wait is paused; the signal is kept.",
      },
      already_signalled: { exit: "conflict", sentence: "This wait has already been signalled." },
      timed_out: { exit: "conflict", sentence: "It has left the wait without a signal." },
      already_finished: { exit: "conflict", sentence: "It has already ended." },
      not_allowed: { exit: "conflict", sentence: "The owner of the job cannot signal this wait." },
      no_such_wait: { exit: "notFound", sentence: "Its pipeline has no such wait." },
      not_found: { exit: "notFound", sentence: "There is no such job." },
    });
  },
});

function wordsOf(
  words: readonly string[],
  { pipeline, key }: { pipeline: string | undefined; key: string | undefined },
) {
  if ((pipeline === undefined) !== (key === undefined)) {
    throw usageError("--pipeline and --key belong together: give both, or the id of a job.");
  }
  const [first = "", second, third] = words;
  if (key !== undefined) {
    if (third !== undefined) throw usageError("With --key there is no id: give the wait and its value.");
    return { id: null, wait: first, word: second };
  }
  if (second === undefined) throw usageError("Give the id of a job and the name of the wait.");
  return { id: first, wait: second, word: third };
}

/** One value; nothing stands for null. */
async function givenValue({ io }: Pick<CommandContext, "io">, word: string | undefined): Promise<unknown> {
  const values = readPayloads(word, { isEach: false }, io);
  try {
    const { value } = await values.next();
    if (!(await values.next()).done) throw usageError("A signal has one value, and there are several.");
    return value?.payload ?? null;
  } finally {
    await values.return();
  }
}
