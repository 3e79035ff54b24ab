import { isFinished, modelBranches, type ShownJob } from "./model-job.ts";

/** The branches that a job waits for, or has waited for. */
export interface ModelBatch {
  readonly parentId: string;
  /** The stage that branched, and the claim under which it did. */
  readonly stage: number;
  readonly token: string;
  readonly addedAtMs: number;
  /** In the order of `modelBranches`. */
  readonly childIds: readonly string[];
  finishedAtMs: number | null;
}

/** What the branches of a batch return to its stage; null while one of them is live, or if one is past its retention. */
export function outputOf(
  { childIds }: ModelBatch,
  job: (id: string) => ShownJob | undefined,
): Record<string, unknown> | null {
  const output: Record<string, unknown> = {};
  for (const [index, { branch, onFailure }] of modelBranches.entries()) {
    const child = job(childIds[index] ?? "");
    if (child === undefined || !isFinished(child)) return null;
    if (onFailure !== "ignore" || child.status === "completed") output[branch] = child.result;
  }
  return output;
}
