import type { JobStatus, Settled } from "../jobs/job.ts";
import { sqlFunction } from "./call-function.ts";
import type { Claim, Settlement, StageRequest } from "./claim.ts";
import type { Database, Statement } from "./database.ts";

export interface SettledJob {
  readonly jobId: string;
  readonly answer: Settled;
  readonly status: JobStatus | null;
  /** Set when the job was kept for its next stage: the stage, and the token it is held under now. */
  readonly keptIn: { readonly stageId: number; readonly token: string } | null;
}

export interface StageLook {
  readonly stageId: number;
  /** How long the look from the start took; null when there was none. */
  readonly scanMs: number | null;
  readonly nextDueMs: number | null;
  /** Up to when due jobs are promoted; null when there may be more of them. */
  readonly promotedUpTo: Date | null;
}

export interface Exchange {
  /** All but the plain done that was applied. */
  readonly settled: readonly SettledJob[];
  readonly claims: readonly Claim[];
  readonly looks: readonly StageLook[];
  /** A job waits that must run alone, and this worker is to make itself free for it. */
  readonly mustRunDry: boolean;
  /** The lease of this worker is over. */
  readonly isLost: boolean;
}

interface ExchangeRow {
  kind: "settled" | "claimed" | "stage" | "suspect" | "lost";
  id: string;
  stage_id: number;
  claim_token: string | null;
  attempt: number;
  priority: number;
  position: string;
  owner: string | null;
  tags: string[] | null;
  payload: unknown;
  outputs: Record<string, unknown> | null;
  detail: {
    answer: Settled;
    status: JobStatus | null;
    scanMs: number | null;
    nextDueMs: number | null;
    promotedUpTo: string | null;
  };
}

const call = sqlFunction("settle_and_claim", [
  "p_worker_id",
  "p_settlements",
  "p_stage_ids",
  "p_rooms",
  "p_places",
  "p_scans",
  "p_due_after",
]);

const noOutputs: Readonly<Record<string, unknown>> = Object.freeze({});
const noTags: readonly string[] = Object.freeze([]);

/** The busy worker's one call: settles what has ended and claims what there is room for. */
export async function settleAndClaim(
  database: Database,
  workerId: string,
  settlements: readonly Settlement[],
  requests: readonly StageRequest[],
): Promise<Exchange> {
  const rows = await database.query<ExchangeRow>(statementFor(workerId, settlements, requests));
  const settled: SettledJob[] = [];
  const claims: Claim[] = [];
  const looks: StageLook[] = [];
  let mustRunDry = false;
  let isLost = false;
  for (const row of rows) {
    if (row.kind === "claimed") claims.push(claimOf(row));
    else if (row.kind === "settled") settled.push(settledOf(row));
    else if (row.kind === "stage") looks.push(lookOf(row));
    else if (row.kind === "suspect") mustRunDry = true;
    else isLost = true;
  }
  claims.sort((one, other) => one.priority - other.priority || one.position - other.position);
  return { settled, claims, looks, mustRunDry, isLost };
}

function statementFor(
  workerId: string,
  settlements: readonly Settlement[],
  requests: readonly StageRequest[],
): Statement {
  return call(
    workerId,
    settlementsAsJson(settlements),
    requests.map((request) => request.stageId),
    requests.map((request) => request.room),
    requests.flatMap((request) => request.places),
    requests.map((request) => request.scan),
    requests.map((request) => request.dueAfter),
  );
}

/** By hand, since the values are JSON text already and there may be a thousand of them. */
export function settlementsAsJson(settlements: readonly Settlement[]): string {
  return `[${settlements.map(settlementAsJson).join(",")}]`;
}

function settlementAsJson(settlement: Settlement): string {
  let json = `{"id":"${settlement.jobId}","token":"${settlement.token}","outcome":"${settlement.outcome}"`;
  if (settlement.value !== null) json += `,"value":${settlement.value}`;
  if (settlement.delayMs !== null) json += `,"delayMs":${settlement.delayMs}`;
  if (settlement.timedOut) json += ',"timedOut":true';
  if (settlement.keep) json += ',"keep":true';
  if (settlement.log !== null) json += `,"log":${settlement.log}`;
  return `${json}}`;
}

function claimOf(row: ExchangeRow): Claim {
  return {
    jobId: row.id,
    stageId: row.stage_id,
    token: row.claim_token ?? "",
    attempt: row.attempt,
    priority: row.priority,
    position: Number(row.position),
    owner: row.owner,
    tags: row.tags ?? noTags,
    payload: row.payload,
    outputs: row.outputs ?? noOutputs,
  };
}

function settledOf(row: ExchangeRow): SettledJob {
  return {
    jobId: row.id,
    answer: row.detail.answer,
    status: row.detail.status,
    keptIn: row.claim_token === null ? null : { stageId: row.stage_id, token: row.claim_token },
  };
}

function lookOf(row: ExchangeRow): StageLook {
  return {
    stageId: row.stage_id,
    scanMs: row.detail.scanMs,
    nextDueMs: row.detail.nextDueMs,
    promotedUpTo: row.detail.promotedUpTo === null ? null : new Date(row.detail.promotedUpTo),
  };
}
