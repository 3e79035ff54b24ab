import { setTimeout as pause } from "node:timers/promises";
import { definePipeline } from "lockstep";
import { z } from "zod";

const demoPayload = z.object({
  title: z.string().min(1).max(100).meta({ title: "Title", description: "What the text is called." }),
  text: z
    .string()
    .min(1)
    .max(10_000)
    .meta({ title: "Text", description: "The words of this text are counted." }),
  stepMs: z
    .int()
    .min(0)
    .max(10_000)
    .default(100)
    .meta({ title: "Pause", description: "How many milliseconds each of the ten steps takes." }),
});

/** The job that `lockstep dev` adds to an empty queue. */
export const demoJob = {
  title: "A first job",
  text: "A job moves through the stages of its pipeline, and each stage is claimed, run and recorded by itself.",
};

/** What runs where nobody has pipelines yet: three short stages that need no network. */
export const demoPipeline = definePipeline("demo", { payload: demoPayload, events: true })
  .stage("read", { processors: 3 }, async ({ payload, progress, signal }) => {
    const words = payload.text.match(/\p{L}+/gu) ?? [];
    await steps(4, payload.stepMs, signal, (share) =>
      progress(share, `${Math.round((share * words.length) / 100)} of ${words.length} words read`),
    );
    return { words };
  })
  .stage("count", { processors: 2 }, async ({ payload, output, progress, signal }) => {
    await steps(4, payload.stepMs, signal, (share) => progress(share, "counting"));
    const counts = new Map<string, number>();
    for (const word of output.words) {
      const key = word.toLowerCase();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts].sort(([, one], [, other]) => other - one).map(([word, times]) => ({ word, times }));
  })
  .stage("report", async ({ payload, output, outputs, progress, log, signal }) => {
    await steps(2, payload.stepMs, signal, (share) => progress(share, "writing"));
    const [most] = output;
    log.info(`${output.length} different words in "${payload.title}"`);
    return {
      title: payload.title,
      words: outputs.read.words.length,
      differentWords: output.length,
      mostFrequent: most?.word ?? null,
    };
  });

/** Short steps with a pause each, so that there is something to watch. */
async function steps(
  count: number,
  stepMs: number,
  signal: AbortSignal,
  onStep: (percent: number) => void,
): Promise<void> {
  for (let step = 1; step <= count; step += 1) {
    await pause(stepMs, undefined, { signal });
    onStep(Math.round((100 * step) / count));
  }
}
