import type { Engine, Job, Reason } from "lockstep";

/** How the questions of an analysis stand while they are asked, each as a job of its own. */
export interface QuestionProgress {
  /** How many are asked in all, and how many have their answer. */
  readonly asked: number;
  readonly answered: number;
  /** The names of those that somebody works on. */
  readonly running: readonly string[];
  /** The job of the first that failed, is tried again or waits in the queue, and what it waits for. */
  readonly heldUp: { readonly job: Job; readonly reasons: readonly Reason[] } | null;
}

const heldUpStatuses: readonly unknown[] = ["failed", "retrying", "scheduled", "pending"];

/** Null unless the analysis waits for its questions, or has failed with one of them. */
export async function questionProgress(
  engine: Pick<Engine, "branches" | "get" | "explain">,
  job: Job,
): Promise<QuestionProgress | null> {
  if (job.stage !== "model-analysis" || !["scheduled", "failed"].includes(job.status)) return null;
  const asked = await askedQuestions(engine, job);
  const heldUp = asked
    .filter(({ status }) => heldUpStatuses.includes(status))
    .sort((one, other) => heldUpStatuses.indexOf(one.status) - heldUpStatuses.indexOf(other.status))[0];
  return {
    asked: asked.length,
    answered: asked.filter(({ status }) => status === "completed").length,
    running: asked.filter(({ status }) => status === "processing").map(({ name }) => name),
    heldUp: heldUp === undefined ? null : await waitOf(engine, heldUp.jobId),
  };
}

/** The questions of an analysis, each with the job that asks it. */
export async function askedQuestions(engine: Pick<Engine, "branches">, job: Job) {
  const { questions } = job.payload as { questions?: readonly string[] };
  const all = await engine.branches(job.id);
  // A stage that ran again has asked again.
  const last = all.at(-1)?.batchId;
  return all.flatMap(({ branch, batchId, ...rest }) =>
    branch !== null && batchId === last && (questions === undefined || questions.includes(branch))
      ? [{ ...rest, name: branch }]
      : [],
  );
}

async function waitOf(
  engine: Pick<Engine, "get" | "explain">,
  id: Job["id"],
): Promise<QuestionProgress["heldUp"]> {
  const [job, reasons] = await Promise.all([engine.get(id), engine.explain(id).catch(() => [])]);
  return job === null ? null : { job, reasons };
}
