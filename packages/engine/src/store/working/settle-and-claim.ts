import { randomUUID } from "node:crypto";
import type { JobStatus, Settled } from "../../jobs/reading/job.ts";
import { sqlFunction } from "../calls/call-function.ts";
import { plainArray } from "../calls/plain-array.ts";
import { uuidArray } from "../calls/uuid-array.ts";
import type { Database, Statement } from "../connections/database.ts";
import type { Claim, ClaimMore, Settlement, StageRequest } from "./claim.ts";

export interface SettledJob {
  readonly jobId: string;
  readonly answer: Settled;
  /** For a lost claim, the status that the job has now; null when it is unknown. */
  readonly status: JobStatus | null;
  /** Set when the job was kept for its next stage: the token it is held under now. */
  readonly keptUnder: string | null;
}

export interface StageLook {
  readonly stageId: number;
  /** Whether it found fewer jobs than it asked for. */
  readonly isShort: boolean;
  /** How long the look from the start took; null when there was none. */
  readonly scanMs: number | null;
  readonly nextDueMs: number | null;
  /** Up to when due jobs are promoted, in PostgreSQL's words; null when there may be more of them. */
  readonly promotedUpTo: string | null;
}

export interface Exchange {
  /** All but those that were applied as done and whose job was not kept. */
  readonly settled: readonly SettledJob[];
  readonly claims: readonly Claim[];
  readonly looks: readonly StageLook[];
  /** Others have just claimed from the same line; told with large claims only. */
  readonly isShared: boolean;
  /** A job waits that must run alone, and this worker is to make itself free for it. */
  readonly mustRunDry: boolean;
  /** PostgreSQL has crashed and may have forgotten claims: it hands out none until this worker has presented those it holds. */
  readonly mustPresent: boolean;
  /** The lease of this worker is over. */
  readonly isLost: boolean;
}

/** One row of the answer: as objects, a thousand of them would cost more. */
type ExchangeRow = readonly [
  kind: "settled" | null | "stage" | "shared" | "suspect" | "present" | "lost",
  id: string,
  stageId: number | null,
  attempt: number | null,
  priority: number | null,
  position: string,
  owner: string | null,
  tags: string[] | null,
  payload: unknown,
  outputs: Record<string, unknown> | null,
  detail: ExchangeDetail,
];

// Of a claimed job it is null, unless that has one of the last four.
interface ExchangeDetail extends ClaimMore {
  readonly answer: Settled;
  readonly status: JobStatus | null;
  readonly isShort: boolean;
  readonly scanMs: number | null;
  readonly nextDueMs: number | null;
  readonly promotedUpTo: string | null;
}

// What most rows have in common is not sent: each value costs the worker a string, and a claim brings hundreds of them.
const usual = { kind: "claimed", attempt: 1, priority: 10 } as const;
const columns = `nullif(kind, '${usual.kind}'), id, nullif(stage_id, ($6::integer[])[1]), nullif(attempt, ${usual.attempt}),
  nullif(priority, ${usual.priority}), position, owner, tags, payload, outputs, detail`;
const argumentNames = [
  "p_worker_id",
  "p_claim_token",
  "p_ids",
  "p_tokens",
  "p_ends",
  "p_stage_ids",
  "p_rooms",
  "p_places",
  "p_scans",
  "p_due_after",
] as const;
const call = sqlFunction("settle_and_claim", argumentNames, columns);

const noOutputs: Readonly<Record<string, unknown>> = Object.freeze({});
const noTags: readonly string[] = Object.freeze([]);

/** The busy worker's one call: settles what has ended and claims what there is room for. */
export async function settleAndClaim(
  database: Database,
  workerId: string,
  settlements: readonly Settlement[],
  requests: readonly StageRequest[],
): Promise<Exchange> {
  // One for all claims of this call: a claim is the pair of job and token.
  const token = randomUUID();
  const rows = await database.queryArrays<ExchangeRow>(statementFor(workerId, token, settlements, requests));
  const settled: SettledJob[] = [];
  const claims: Claim[] = [];
  const looks: StageLook[] = [];
  const firstStageId = requests[0]?.stageId ?? 0;
  let isShared = false;
  let mustRunDry = false;
  let mustPresent = false;
  let isLost = false;
  for (const row of rows) {
    if (row[0] === null) claims.push(claimOf(row, token, row[2] ?? firstStageId));
    else if (row[0] === "settled") settled.push(settledOf(row));
    else if (row[0] === "stage") looks.push(lookOf(row, row[2] ?? firstStageId));
    else if (row[0] === "shared") isShared = true;
    else if (row[0] === "suspect") mustRunDry = true;
    else if (row[0] === "present") mustPresent = true;
    else isLost = true;
  }
  claims.sort(inOrder);
  return {
    settled: withKept(settled, settlements, token),
    ...{ claims, looks, isShared, mustRunDry, mustPresent, isLost },
  };
}

/** Within a stage as they were picked, or by priority and position: the order between stages means nothing. */
function inOrder(one: Claim, other: Claim): number {
  if (one.stageId !== other.stageId) return one.stageId - other.stageId;
  if (one.more !== null && other.more !== null && one.more.turn !== other.more.turn) {
    return (one.more.turn ?? 0) - (other.more.turn ?? 0);
  }
  return one.priority - other.priority || one.position - other.position;
}

/** The database is silent about a job that was kept, too: it was asked for. */
function withKept(
  settled: SettledJob[],
  settlements: readonly Settlement[],
  token: string,
): readonly SettledJob[] {
  if (settlements.every(({ keepIn }) => keepIn === null)) return settled;
  const told = new Set(settled.map(({ jobId }) => jobId));
  for (const { jobId, keepIn } of settlements) {
    if (keepIn === null || told.has(jobId)) continue;
    settled.push({ jobId, answer: "applied", status: "processing", keptUnder: token });
  }
  return settled;
}

function statementFor(
  workerId: string,
  token: string,
  settlements: readonly Settlement[],
  requests: readonly StageRequest[],
): Statement {
  return call(
    workerId,
    token,
    uuidArray(settlements.map(({ jobId }) => jobId)),
    uuidArray(settlements.map((settlement) => settlement.token)),
    endsAsJson(settlements),
    plainArray(requests.map((request) => request.stageId)),
    plainArray(requests.map((request) => request.room)),
    plainArray(requests.flatMap((request) => request.places)),
    plainArray(requests.map((request) => request.scan)),
    plainArray(requests.map((request) => request.dueAfter)),
  );
}

/** By hand, since the values are JSON text already and there may be a thousand of them. Null: all done, without output. */
export function endsAsJson(settlements: readonly Settlement[]): string | null {
  let isNews = false;
  const ends = settlements.map((settlement) => {
    const end = endAsJson(settlement);
    isNews ||= end !== "{}";
    return end;
  });
  return isNews ? `[${ends.join(",")}]` : null;
}

function endAsJson(settlement: Settlement): string {
  let json = "";
  if (settlement.outcome !== "done") json += `,"outcome":"${settlement.outcome}"`;
  if (settlement.value !== null) json += `,"value":${settlement.value}`;
  if (settlement.delayMs !== null) json += `,"delayMs":${settlement.delayMs}`;
  if (settlement.timedOut) json += ',"timedOut":true';
  if (settlement.keepIn !== null) json += `,"keepIn":${settlement.keepIn}`;
  if (settlement.log !== null) json += `,"log":${settlement.log}`;
  return `{${json.slice(1)}}`;
}

function claimOf(row: ExchangeRow, token: string, stageId: number): Claim {
  const [, jobId, , attempt, priority, position, owner, tags, payload, outputs, more] = row;
  return {
    jobId,
    stageId,
    token,
    attempt: attempt ?? usual.attempt,
    priority: priority ?? usual.priority,
    position: Number(position),
    owner,
    tags: tags ?? noTags,
    payload,
    outputs: outputs ?? noOutputs,
    more,
  };
}

function settledOf([, jobId, , , , , , , , , { answer, status }]: ExchangeRow): SettledJob {
  return { jobId, answer, status, keptUnder: null };
}

function lookOf([, , , , , , , , , , detail]: ExchangeRow, stageId: number): StageLook {
  const { isShort, scanMs, nextDueMs, promotedUpTo } = detail;
  return { stageId, isShort, scanMs, nextDueMs, promotedUpTo };
}
