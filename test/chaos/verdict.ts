import type { JournalEntry } from "./journal.ts";
import { stageNames } from "./run-plan.ts";
import type { Move } from "./witness.ts";

export interface Evidence {
  readonly acknowledged: ReadonlySet<string>;
  readonly journal: readonly JournalEntry[];
  readonly moves: readonly Move[];
  /** Jobs that are not finished. */
  readonly liveIds: readonly string[];
  /** Jobs whose events are not those of their moves. */
  readonly wronglyTold: readonly string[];
}

/** Everything that must not have happened, one sentence each; none when all promises were kept. */
export function violationsIn(evidence: Evidence): string[] {
  return [
    ...lost(evidence),
    ...endedTwice(evidence),
    ...changedLate(evidence),
    ...passedWrongly(evidence),
    ...staleAccepted(evidence),
    ...evidence.wronglyTold.map((id) => `Job ${id} has events that are not those of its moves.`),
  ];
}

function lost({ acknowledged, moves, liveIds }: Evidence): string[] {
  const finished = new Set(moves.filter(({ kind }) => kind === "finished").map(({ job_id }) => job_id));
  const live = new Set(liveIds);
  return [
    ...[...acknowledged]
      .filter((id) => !finished.has(id) && !live.has(id))
      .map((id) => `Job ${id} was acknowledged and is lost.`),
    ...liveIds.map((id) => `Job ${id} is not finished.`),
  ];
}

function endedTwice({ moves }: Evidence): string[] {
  const ends = moves.filter(({ kind }) => kind === "finished");
  return repeated(ends.map(({ job_id }) => job_id)).map((id) => `Job ${id} ended more than once.`);
}

/** Nobody retries here by hand, and nothing is old enough to be pruned. */
function changedLate({ moves }: Evidence): string[] {
  return moves
    .filter(({ kind }) => kind === "changed")
    .map(({ job_id }) => `Job ${job_id} changed after it was finished.`);
}

/** Every completed job has passed each stage once, in order, and no claim was given twice. */
function passedWrongly({ moves }: Evidence): string[] {
  const passedBy = new Map<string, string[]>();
  for (const { kind, outcome, status, job_id, stage } of moves) {
    const isPassed =
      (kind === "left" && outcome === "done") || (kind === "finished" && status === "completed");
    if (isPassed) passedBy.set(job_id, [...(passedBy.get(job_id) ?? []), stage]);
  }
  const inOrder = stageNames.join(", ");
  const claims = moves
    .filter(({ kind }) => kind === "claimed")
    .map(({ job_id, token }) => `${job_id}/${token}`);
  return [
    ...[...passedBy]
      .filter(([, stages]) => !inOrder.startsWith(stages.join(", ")))
      .map(([id, stages]) => `Job ${id} passed ${stages.join(", ")}.`),
    ...moves
      .filter(({ kind, status }) => kind === "finished" && status === "completed")
      .filter(({ job_id }) => passedBy.get(job_id)?.join(", ") !== inOrder)
      .map(({ job_id }) => `Job ${job_id} completed without passing every stage.`),
    ...repeated(claims).map((claim) => `Claim ${claim} was given twice.`),
  ];
}

/** What an attempt said in the end stands only where its own claim stood. */
function staleAccepted({ moves, journal }: Evidence): string[] {
  const tokenOf = new Map(
    journal.flatMap((entry) =>
      entry.kind === "start" ? [[entry.run, `${entry.jobId}/${entry.token}`]] : [],
    ),
  );
  return moves.flatMap(({ value, job_id, token, stage }) => {
    const run = runIn(value);
    if (run === null || tokenOf.get(run) === `${job_id}/${token}`) return [];
    return [
      `Job ${job_id} took the word of run ${run}, made under claim ${tokenOf.get(run)}, when claim ${token} held it in ${stage}.`,
    ];
  });
}

function runIn(value: unknown): string | null {
  const { run, message } = (value ?? {}) as { run?: unknown; message?: unknown };
  if (typeof run === "string") return run;
  return typeof message === "string" ? (/^run (\S+)$/.exec(message)?.[1] ?? null) : null;
}

function repeated(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const text of texts) (seen.has(text) ? twice : seen).add(text);
  return [...twice];
}
