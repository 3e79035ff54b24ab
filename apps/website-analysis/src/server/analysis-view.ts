import type { Job, JobSummary, Reason } from "lockstep";
import { type Report, reportOf } from "../report/report.ts";

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

export function analysisJob(job: JobSummary, url: string): AnalysisJob {
  const { id, stage, status, attempt, addedAt, finishedAt, error } = job;
  const isEnded = status === "completed" || status === "failed" || status === "cancelled";
  return {
    id,
    url,
    // In the documents a stage is called by what has been done before it: the first one, by nothing.
    status: isEnded ? status : stage === "website-analysis" ? "not-started" : (stage as "prompt-forming"),
    currentStep: stage,
    inProgress: status === "processing",
    retryCount: Math.max(0, attempt - 1),
    createdAt: addedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    error: error?.message ?? null,
  };
}

export function analysisView(job: Job, reasons: readonly Reason[]): AnalysisView {
  const { url } = job.payload as { url: string };
  const ahead = reasons.find(({ detail }) => detail.ahead !== undefined)?.detail.ahead ?? 0;
  const isWaiting = ["pending", "scheduled", "retrying"].includes(job.status);
  return {
    ...analysisJob(job, url),
    stages: stageNames.map((name, place) => stageView(job, name, place)),
    ahead: isWaiting ? ahead : null,
    waitsFor: isWaiting ? waitText(reasons) : null,
    report: reportOf(job),
  };
}

/** For a visitor, who can start no worker and lift no limit. */
function waitText(reasons: readonly Reason[]): string | null {
  const dueAt = reasons.find(({ detail }) => detail.dueAt !== undefined)?.detail.dueAt;
  if (dueAt !== undefined) return `It is tried again at ${dueAt.toISOString().slice(11, 19)} UTC.`;
  const isHeldBack = reasons.some(({ reason }) => reason.includes("rate"));
  return isHeldBack ? "Its host is asked once a second, and others are before it." : null;
}

function stageView(job: Job, name: StageView["name"], place: number): StageView {
  const at = stageNames.indexOf(job.stage as StageView["name"]);
  const none = { name, percent: 0, note: null };
  if (job.status === "completed" || place < at) return { ...none, state: "done", percent: 100 };
  if (place > at) return { ...none, state: "not-reached" };
  if (job.status === "failed" || job.status === "cancelled") return { ...none, state: "failed" };
  const { percent = 0, note = null } = job.progress ?? {};
  return { name, percent, note, state: job.status === "processing" ? "running" : "waiting" };
}
