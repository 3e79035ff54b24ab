import type { Attempt, Job } from "lockstep";
import type { OcrResult } from "../stages/boost-stage.ts";
import type { ExtractedDocument } from "../stages/extraction-stage.ts";
import type { PageSummary } from "../store/page-store.ts";
import { parseSource } from "./document-source.ts";

const stages = ["extraction", "ocr", "boost"] as const;

/** A document as the page shows it: where it stands, and the errors of each stage apart. */
export function documentView(job: Job, pages: readonly PageSummary[] = []) {
  const { id, status, stage, attempt, losses, progress, addedAt, finishedAt } = job;
  const document = job.outputs.extraction as ExtractedDocument | undefined;
  const result = job.result as OcrResult | null;
  const { source = "" } = job.payload as { source?: string };
  return {
    id,
    name: document?.name ?? parseSource(source)?.name ?? source,
    status,
    stage,
    attempt,
    losses,
    progress,
    addedAt,
    finishedAt,
    pages: document?.pages ?? null,
    pagesRead: pages,
    needsPassword: status === "failed" && isLocked(job.attempts.at(-1)),
    stages: stages.map((name) => stageView(name, job.attempts)),
    result:
      result === null ? null : { reading: result.reading, excerpt: result.excerpt, files: result.files },
  };
}

function isLocked(last: Attempt | undefined): boolean {
  return last?.error?.message.startsWith("The PDF is encrypted") ?? false;
}

function stageView(name: (typeof stages)[number], attempts: readonly Attempt[]) {
  const tries = attempts.filter(({ stage }) => stage === name);
  const failed = tries.filter(({ outcome }) => ["failed", "timeout", "lost"].includes(outcome));
  return {
    name,
    state: tries.at(-1)?.outcome ?? "waiting",
    tries: tries.length,
    errors: failed.map(({ attempt, outcome, error, workerId }) => ({
      attempt,
      message: error?.message ?? (outcome === "lost" ? "Its worker died." : "It failed."),
      workerId,
    })),
  };
}
