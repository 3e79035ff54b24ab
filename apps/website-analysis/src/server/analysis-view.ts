import type { Job, JobError, JobSummary, Reason } from "lockstep";
import { type Report, reportOf } from "../report/report.ts";
import type { QuestionProgress } from "./question-progress.ts";

export const stageNames = ["website-analysis", "prompt-forming", "model-analysis"] as const;

/** A job in the words of the documents that the app comes from: where it is, whether somebody works on it, how often it was tried. */
export interface AnalysisJob {
  readonly id: string;
  readonly url: string;
  readonly status: "not-started" | "prompt-forming" | "model-analysis" | "completed" | "failed" | "cancelled";
  readonly currentStep: string;
  readonly inProgress: boolean;
  readonly retryCount: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly error: string | null;
}

export interface AnalysisView extends AnalysisJob {
  readonly stages: readonly StageView[];
  /** How many analyses come before it in the queue of its stage; null while it is in no queue. */
  readonly ahead: number | null;
  /** Why it waits, in a sentence, if it is not for the others before it. */
  readonly waitsFor: string | null;
  readonly report: Report | null;
}

export interface StageView {
  readonly name: (typeof stageNames)[number];
  readonly state: "waiting" | "running" | "done" | "failed" | "not-reached";
  readonly percent: number;
  readonly note: string | null;
}

/** The stage in which the documents would say a job is: they know no stage of its own for the report. */
function stepOf(stage: string): (typeof stageNames)[number] {
  return stageNames.find((name) => name === stage) ?? "model-analysis";
}

export function analysisJob(job: JobSummary, url: string): AnalysisJob {
  const { id, stage, status, attempt, addedAt, finishedAt, error } = job;
  const isEnded = status === "completed" || status === "failed" || status === "cancelled";
  const step = stepOf(stage);
  return {
    id,
    url,
    // In the documents a stage is called by what has been done before it: the first one, by nothing.
    status: isEnded ? status : step === "website-analysis" ? "not-started" : step,
    currentStep: step,
    // While its questions are asked, no scheduler can take it.
    inProgress: status === "processing" || (stage === "model-analysis" && status === "scheduled"),
    retryCount: Math.max(0, attempt - 1),
    createdAt: addedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    error: error === null ? null : sentenceOf(error),
  };
}

/** What went wrong with a question is what went wrong with the analysis. The engine says besides which job it was, which helps no visitor. */
function sentenceOf({ code, message }: JobError): string {
  if (code !== "child_failed") return message;
  return /^Branch .+? ended as \w+ in stage \S+: (.+)$/s.exec(message)?.[1] ?? "A question has no answer.";
}

/** `questions` are those of a job that waits for them, or has failed with one of them. */
export function analysisView(
  job: Job,
  reasons: readonly Reason[],
  questions: QuestionProgress | null,
): AnalysisView {
  const { url } = job.payload as { url: string };
  const heldUp = questions === null ? { job, reasons } : questions.heldUp;
  const isWaiting = heldUp !== null && ["pending", "scheduled", "retrying"].includes(heldUp.job.status);
  const ahead = heldUp?.reasons.find(({ detail }) => detail.ahead !== undefined)?.detail.ahead ?? 0;
  return {
    ...analysisJob(job, url),
    ...troubleOf(questions?.heldUp?.job),
    stages: stageNames.map((name, place) => stageView(job, name, place, questions)),
    ahead: isWaiting ? ahead : null,
    waitsFor: isWaiting ? waitText(heldUp.reasons) : null,
    report: reportOf(job),
  };
}

/** The tries are those of the question, too. */
function troubleOf(question: Job | undefined): Partial<AnalysisJob> {
  if (question === undefined || question.error === null) return {};
  return { retryCount: Math.max(0, question.attempt - 1), error: question.error.message };
}

/** For a visitor, who can start no worker and lift no limit. */
function waitText(reasons: readonly Reason[]): string | null {
  const dueAt = reasons.find(({ detail }) => detail.dueAt !== undefined)?.detail.dueAt;
  if (dueAt !== undefined) return `It is tried again at ${dueAt.toISOString().slice(11, 19)} UTC.`;
  const budget = reasons.find(({ reason }) => reason === "budget");
  if (budget !== undefined) {
    const { turnsAt } = budget.detail;
    const when = turnsAt instanceof Date ? ` at ${turnsAt.toISOString().slice(11, 16)} UTC` : "";
    return `You have used up what answers may cost you in a day. It goes on${when || " later"}.`;
  }
  const isHeldBack = reasons.some(({ reason }) => reason.includes("rate"));
  return isHeldBack ? "Its host is asked once a second, and others are before it." : null;
}

function stageView(
  job: Job,
  name: StageView["name"],
  place: number,
  questions: QuestionProgress | null,
): StageView {
  const at = stageNames.indexOf(stepOf(job.stage));
  const none = { name, percent: 0, note: null };
  if (job.status === "completed" || place < at) return { ...none, state: "done", percent: 100 };
  if (place > at) return { ...none, state: "not-reached" };
  if (job.status === "failed" || job.status === "cancelled") return { ...none, state: "failed" };
  if (questions !== null) return { name, ...answering(questions) };
  const { percent = job.stage === "report-forming" ? 100 : 0, note = null } = job.progress ?? {};
  return { name, percent, note, state: job.status === "processing" ? "running" : "waiting" };
}

function answering({ asked, answered, running, heldUp }: QuestionProgress): Omit<StageView, "name"> {
  return {
    percent: asked === 0 ? 0 : (100 * answered) / asked,
    note: running.length === 0 ? null : `asking: ${running.join(", ")}`,
    state: running.length === 0 && heldUp !== null ? "waiting" : "running",
  };
}
