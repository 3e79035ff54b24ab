import { definePipeline } from "lockstep";
import { z } from "zod";

const stages = ["read", "think", "write"] as const;
type Stage = (typeof stages)[number];

/** Three stages with a form to fill in, each of which ends when the story says so. */
export function gatedPipeline() {
  const waiting = new Map<Stage, () => void>();
  const open = new Set<Stage>();
  const pass = (stage: Stage, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (open.has(stage)) return resolve();
      waiting.set(stage, resolve);
      signal.addEventListener("abort", () => resolve());
    });
  const payload = z.object({
    url: z.url().describe("Where to begin reading"),
    depth: z.int().min(1).max(5).default(2),
  });
  const pipeline = definePipeline("website-analysis", { payload })
    .stage("read", async ({ progress, signal }) => {
      progress(50, "half of the pages");
      await pass("read", signal);
    })
    .stage("think", ({ signal }) => pass("think", signal))
    .stage("write", async ({ payload: { url }, signal }) => {
      await pass("write", signal);
      return { report: `All about ${url}` };
    });
  return {
    pipeline,
    stages,
    /** Lets the stage end, now or when it begins. */
    finish(stage: Stage) {
      open.add(stage);
      waiting.get(stage)?.();
    },
  };
}
