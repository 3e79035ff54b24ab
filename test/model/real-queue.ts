import type pg from "pg";
import {
  type Claim,
  type End,
  isLastStage,
  leaseMs,
  modelBranches,
  modelStages,
  pipelineOf,
  type Settled,
  type Shown,
  type ShownJob,
  waitStage,
} from "./model-job.ts";
import type { Continued, Written } from "./model-stream.ts";
import type { NewJob } from "./queue-model.ts";

const stageKeys = modelStages.map(({ pipeline, name }) => `${pipeline}/${name}`);
/** What a failover brings back to what it was when it was copied. */
const replicated = [
  "jobs",
  "claimed_ranges",
  "finished_jobs",
  "workers",
  "effects",
  "signals",
  "batches",
  "stage_moves",
  "stage_counts",
];
const filled = [
  ...replicated,
  "forks",
  "streams",
  "stream_chunks",
  "events",
  "stage_history",
  "stage_history_by_hour",
  "stage_totals",
];

const ms = (column: string) => `round(extract(epoch from ${column} - $1) * 1000)::float8`;
const historyOf = (row: string) => `(
  select jsonb_agg(jsonb_build_array(h.stage_id, h.attempt, h.outcome, h.claim_token)) from unnest(${row}.history) h
)`;
const stateSql = `select
  (
    select jsonb_agg(jsonb_build_object(
      'id', j.id, 'status', j.status, 'stageId', j.stage_id, 'priority', j.priority, 'attempt', j.attempt, 'losses', j.losses,
      'isSuspect', j.suspect, 'token', j.claim_token, 'workerId', j.worker_id, 'cancelAskedAtMs', ${ms("j.cancel_requested_at")},
      'dueAtMs', case when j.status in ('scheduled', 'retrying') then ${ms("j.scheduled_for")} end,
      'progress', j.progress, 'outputs', j.outputs, 'result', null, 'history', ${historyOf("j")},
      'finishedAtMs', null, 'lastOutcome', null
    ))
    from lockstep.jobs j
  ) as live,
  (
    select jsonb_agg(jsonb_build_object(
      'id', f.id, 'status', f.status, 'stageId', f.stage_id, 'priority', f.priority, 'attempt', f.attempt, 'losses', f.losses,
      'isSuspect', false, 'token', f.claim_token, 'workerId', f.worker_id, 'cancelAskedAtMs', ${ms("f.cancel_requested_at")},
      'dueAtMs', null,
      'progress', f.progress, 'outputs', f.outputs, 'result', f.result, 'history', ${historyOf("f")},
      'finishedAtMs', ${ms("f.finished_at")}, 'lastOutcome', f.last_outcome
    ))
    from lockstep.finished_jobs f
  ) as finished,
  (
    select jsonb_agg(jsonb_build_object('id', w.id, 'leaseUntilMs', ${ms("w.lease_until")}, 'isLost', w.lost_at is not null))
    from lockstep.workers w
  ) as workers,
  (
    select jsonb_agg(jsonb_build_object('id', s.job_id, 'lastEntry', s.last_entry, 'texts', coalesce(
      (
        select jsonb_agg(k.chunk order by c.entry, k.number)
        from lockstep.stream_chunks c
        cross join jsonb_array_elements(c.chunks) with ordinality as k (chunk, number)
        where c.stream_id = s.id and c.begun_at = s.begun_at
      ),
      '[]'
    )))
    from lockstep.streams s
  ) as streams`;

type StoredAttempt = [stageId: number, attempt: number | null, outcome: string, token: string | null];
interface StoredJob extends Omit<ShownJob, "stage" | "outputs" | "history"> {
  stageId: number;
  outputs: Record<string, unknown> | null;
  history: StoredAttempt[] | null;
}

/** The queue under test: each method is one call of a SQL function, at a time of the run's own. */
export class RealQueue {
  nowMs = 0;
  readonly #client: pg.ClientBase;
  /** Noon of today: the tables of the coming days are there. */
  readonly #beganAt = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 + 43_200_000);
  #stageIds: number[] = [];

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  /** Makes the pipelines, and the place of the replica. Once per database. */
  async prepare(): Promise<void> {
    this.#stageIds = [];
    for (const pipeline of new Set(modelStages.map((stage) => stage.pipeline)))
      this.#stageIds.push(...(await this.define(pipeline)));
    await this.#client.query(
      `create schema if not exists replica;
       ${replicated.map((table) => `create table if not exists replica.${table} (like lockstep.${table});`).join("\n")}
       create table if not exists replica.paused_stages (id integer, paused_at timestamptz);`,
    );
  }

  /** Defines a pipeline, anew whenever something differs; comes back with the ids of its stages. */
  async define(
    pipeline: string,
    { hasWait = true, ...options }: { hasWait?: boolean; maxPending?: number } = {},
  ): Promise<number[]> {
    const isBranch = modelBranches.some((branch) => branch.pipeline === pipeline);
    const stages = modelStages
      .filter((stage) => stage.pipeline === pipeline && (hasWait || stage.waitMs === undefined))
      .map(({ retryBaseMs, pipeline: _pipeline, waitMs, ...stage }) =>
        waitMs === undefined
          ? { ...stage, retry: { kind: "exponential", baseMs: retryBaseMs, capMs: 3_600_000, jitter: 0 } }
          : { name: stage.name, kind: "wait", waitMs, onTimeout: "fail" },
      );
    const rows = await this.#rows("select * from lockstep.define_pipeline($1, $2, $3)", [
      pipeline,
      JSON.stringify(stages),
      JSON.stringify(isBranch ? { ...options, branchOf: "trees" } : options),
    ]);
    return rows.map(({ stage_id }) => Number(stage_id));
  }

  /** An empty queue at the beginning of time. */
  async reset(): Promise<void> {
    this.nowMs = 0;
    await this.define("talks");
    await this.#client.query(
      `${filled.map((table) => `delete from lockstep.${table};`).join("\n")}
       update lockstep.stages set paused_at = null where paused_at is not null;
       update lockstep.upkeep set done_at = '-infinity' where done_at > '-infinity';`,
    );
  }

  async add(jobs: readonly NewJob[]): Promise<{ id: string; created: boolean; status: string }[]> {
    const list = jobs.map(({ id, priority, dedupKey, owner, inMs, pipeline }) => {
      const scheduledFor = inMs > 0 ? this.#at(this.nowMs + inMs) : null;
      return { pipeline, id, priority, dedupKey, owner, scheduledFor };
    });
    const rows = await this.#rows("select id, created, status from lockstep.add_jobs($1, p_now => $2)", [
      JSON.stringify(list),
      this.#now,
    ]);
    return rows as unknown as { id: string; created: boolean; status: string }[];
  }

  async register(workerId: string): Promise<void> {
    await this.#rows("select lockstep.register_worker($1, 'model', $2, $3, p_now => $4)", [
      workerId,
      `${leaseMs} milliseconds`,
      stageKeys,
      this.#now,
    ]);
  }

  async deregister(workerId: string): Promise<void> {
    await this.#rows("select lockstep.deregister_worker($1, $2)", [workerId, this.#now]);
  }

  async heartbeat(workerId: string): Promise<{ isAlive: boolean; cancel: string[] }> {
    const [row] = await this.#rows("select alive, cancel from lockstep.heartbeat($1, p_now => $2)", [
      workerId,
      this.#now,
    ]);
    const { alive, cancel } = row as { alive: boolean; cancel: string[] };
    return { isAlive: alive, cancel: cancel.sort() };
  }

  /** The error code when it is refused. */
  async claim(workerId: string, stages: readonly number[], batchSize: number): Promise<Claim[] | string> {
    const rows = await this.#rowsOrCode("select id, claim_token from lockstep.claim_jobs($1, $2, $3, $4)", [
      workerId,
      stages.map((stage) => stageKeys[stage]),
      batchSize,
      this.#now,
    ]);
    if (typeof rows === "string") return rows;
    return rows.map(({ id, claim_token }) => ({
      jobId: String(id),
      token: String(claim_token),
      workerId,
    }));
  }

  /** A worker's own claim of one job of each stage, under a token that it drew. */
  async claimUnder(workerId: string, token: string): Promise<Claim[]> {
    const rows = await this.#rows(
      `select kind, id
       from lockstep.settle_and_claim($1, $2, '{}', '{}', '[]', $3, $4, null, $5, null, p_now => $6)`,
      [workerId, token, this.#stageIds, this.#stageIds.map(() => 1), this.#stageIds.map(() => 2), this.#now],
    );
    return claimsOf(rows, token, workerId);
  }

  progress({ jobId, token }: Claim, percent: number): Promise<string> {
    return this.#word("report_progress($1, $2, $3, p_now => $4)", [jobId, token, percent, this.#now]);
  }

  complete({ jobId, token }: Claim): Promise<string> {
    return this.#word("complete_job($1, $2, $3, $4)", [jobId, token, JSON.stringify(token), this.#now]);
  }

  fail({ jobId, token }: Claim, { outcome, delayMs }: End): Promise<string> {
    const retryAfter = delayMs === undefined ? null : `${delayMs} milliseconds`;
    return this.#word(`fail_job($1, $2, '{"message": "broken"}', $3, $4, $5)`, [
      jobId,
      token,
      outcome === "retry",
      retryAfter,
      this.#now,
    ]);
  }

  snooze({ jobId, token }: Claim, { delayMs = 0 }: End): Promise<string> {
    return this.#word("snooze_job($1, $2, $3, $4)", [jobId, token, `${delayMs} milliseconds`, this.#now]);
  }

  release({ jobId, token }: Claim): Promise<string> {
    return this.#word("release_job($1, $2, $3)", [jobId, token, this.#now]);
  }

  /** Ends a claim with branches; the ids of those that began under it, now or before. */
  async branch({ jobId, token }: Claim): Promise<{ answer: string; childIds: string[] }> {
    const answer = await this.#word("fan_out_job($1, $2, $3, p_returns => 'branches', p_now => $4)", [
      jobId,
      token,
      JSON.stringify(modelBranches),
      this.#now,
    ]);
    const rows = await this.#rows(
      `select c.branch ->> 'jobId' as id
       from lockstep.batches b
       cross join jsonb_array_elements(b.branches) with ordinality as c (branch, number)
       where b.fan_out_token = $1
       order by c.number`,
      [token],
    );
    return { answer, childIds: rows.map(({ id }) => String(id)) };
  }

  /** Many ends in one call; the answer to each, in order. */
  async settle(claims: readonly Claim[], ends: readonly End[]): Promise<Settled[]> {
    const rows = await this.#rows(
      "select job_id, answer from lockstep.settle_jobs($1, $2, $3, p_now => $4)",
      [
        claims.map(({ jobId }) => jobId),
        claims.map(({ token }) => token),
        JSON.stringify(claims.map(({ token }, index) => ({ ...ends[index], value: token }))),
        this.#now,
      ],
    );
    // Silent about a plain done that was applied; of one job an old claim may be in the same call, and only that one is news.
    return claims.map(
      ({ jobId }) => (rows.find(({ job_id }) => job_id === jobId)?.answer ?? "applied") as Settled,
    );
  }

  /** The worker's loop: ends this claim, goes on with its next stage if it may, and claims one of every stage. */
  async exchange(
    claim: Claim,
    stage: number,
    token: string,
  ): Promise<{ answer: Settled; isKept: boolean; isLost: boolean; claims: Claim[] }> {
    const keepIn = isLastStage(stage) ? null : (this.#stageIds[stage + 1] ?? null);
    const rows = await this.#rows(
      `select kind, id, detail
       from lockstep.settle_and_claim($1, $2, $3, $4, $5, $6, $7, null, $8, null, p_now => $9)`,
      [
        claim.workerId,
        token,
        [claim.jobId],
        [claim.token],
        JSON.stringify([{ value: claim.token, keepIn }]),
        this.#stageIds,
        this.#stageIds.map(() => 1),
        this.#stageIds.map(() => 2),
        this.#now,
      ],
    );
    const settled = rows.find(({ kind }) => kind === "settled")?.detail as { answer: Settled } | undefined;
    return {
      answer: settled?.answer ?? "applied",
      isKept: settled === undefined && keepIn !== null,
      isLost: rows.some(({ kind }) => kind === "lost"),
      claims: claimsOf(rows, token, claim.workerId),
    };
  }

  async sweep(): Promise<void> {
    await this.#rows("select from lockstep.sweep_lost_workers(p_now => $1)", [this.#now]);
  }

  /** The part of a sweep that makes up for branches that a cancel has passed over. */
  async cancelLeftBranches(): Promise<void> {
    await this.#rows("select lockstep.cancel_left_batch_jobs($1)", [this.#now]);
  }

  /** Tells a job what it waits for. */
  signal(jobId: string, value: string): Promise<string> {
    return this.#word("signal_job($1, $2, $3, p_now => $4)", [
      jobId,
      modelStages[waitStage]?.name,
      JSON.stringify(value),
      this.#now,
    ]);
  }

  async endDueWaits(): Promise<number> {
    const [row] = await this.#rows("select ended from lockstep.end_due_waits(p_now => $1)", [this.#now]);
    return Number(row?.ended);
  }

  cancel(jobId: string): Promise<string> {
    return this.#word("cancel_job($1, p_now => $2)", [jobId, this.#now]);
  }

  async retry(jobId: string, fromStage: number | null): Promise<string> {
    const rows = await this.#rowsOrCode("select answer from lockstep.retry_job($1, $2, p_now => $3)", [
      jobId,
      fromStage === null ? null : modelStages[fromStage]?.name,
      this.#now,
    ]);
    return typeof rows === "string" ? rows : String(rows[0]?.answer);
  }

  async fork(jobId: string, fromStage: number | null, newId: string): Promise<string> {
    const rows = await this.#rowsOrCode("select answer from lockstep.fork_job($1, $2, $3, p_now => $4)", [
      jobId,
      fromStage === null ? null : modelStages[fromStage]?.name,
      newId,
      this.#now,
    ]);
    return typeof rows === "string" ? rows : String(rows[0]?.answer);
  }

  async setPaused(stage: number, isPaused: boolean): Promise<boolean> {
    const call = isPaused ? "pause_stage" : "resume_stage";
    return (
      (await this.#word(`${call}($1, $2, $3)`, [pipelineOf(stage), modelStages[stage]?.name, this.#now])) ===
      "true"
    );
  }

  /** Retention with everything kept for so long, and the folding of counters along with it. */
  async prune(keepMs: number): Promise<void> {
    const keep = `${keepMs} milliseconds`;
    await this.#rows("select lockstep.fold_counters(p_now => $1)", [this.#now]);
    await this.#rows("select lockstep.delete_finished_jobs($1, $1, p_keep_events => $1, p_now => $2)", [
      keep,
      this.#now,
    ]);
    for (let place = ""; ; ) {
      const rows = await this.#rows(
        "select place from lockstep.drop_old_table($1, $1, $1, p_place => $2, p_now => $3)",
        [keep, place, this.#now],
      );
      if (typeof rows === "string" || rows[0] === undefined) return;
      place = String(rows[0].place);
    }
  }

  beginEffect({ jobId, token }: Claim, key: string, isResent: boolean): Promise<string> {
    return this.#word(
      "begin_effect($1, $2, $3, p_resent => $4, p_now => $5)",
      [jobId, token, key, isResent, this.#now],
      ".answer",
    );
  }

  finishEffect({ jobId, token }: Claim, key: string): Promise<string> {
    return this.#word("finish_effect($1, $2, $3, p_now => $4)", [jobId, token, key, this.#now]);
  }

  async writeStream(
    { jobId, token }: Claim,
    after: number | null,
    texts: readonly string[],
  ): Promise<Written> {
    const [row] = await this.#rows(
      `select answer, last_entry::float8 as "lastEntry" from lockstep.write_streams($1, p_now => $2)`,
      [JSON.stringify([{ id: jobId, token, name: "text", after, chunks: texts }]), this.#now],
    );
    return row as unknown as Written;
  }

  async continueStream({ jobId, token }: Claim): Promise<Continued> {
    const [row] = await this.#rows(
      `select answer, last_entry::float8 as "lastEntry", chunks as texts from lockstep.continue_stream($1, $2, 'text')`,
      [jobId, token],
    );
    return row as unknown as Continued;
  }

  async replicate(): Promise<void> {
    await this.#client.query(
      `${replicated.map((table) => `delete from replica.${table}; insert into replica.${table} table lockstep.${table};`).join("\n")}
       delete from replica.paused_stages; insert into replica.paused_stages select id, paused_at from lockstep.stages;`,
    );
  }

  async failOver(): Promise<void> {
    await this.#client.query(
      `${replicated.map((table) => `delete from lockstep.${table}; insert into lockstep.${table} table replica.${table};`).join("\n")}
       update lockstep.stages s set paused_at = r.paused_at from replica.paused_stages r where r.id = s.id;`,
    );
  }

  async state(): Promise<Shown> {
    const [row] = await this.#rows(stateSql, [this.#beganAt]);
    const stored = [...((row?.live ?? []) as StoredJob[]), ...((row?.finished ?? []) as StoredJob[])];
    return {
      jobs: stored.map((job) => this.#shown(job)).sort(byId),
      workers: ((row?.workers ?? []) as Shown["workers"]).sort(byId),
      streams: ((row?.streams ?? []) as Shown["streams"]).sort(byId),
    };
  }

  /** The invariants that must hold whether or not anybody sweeps and claims. */
  async violations(): Promise<string[]> {
    const rows = await this.#rows(
      "select invariant, job_id, violation from lockstep.verify($1) where invariant not in ('V5', 'V6', 'V7', 'V24')",
      [this.#now],
    );
    return rows.map(({ invariant, job_id, violation }) => `${invariant}: ${job_id} ${violation}`);
  }

  get #now(): Date {
    return this.#at(this.nowMs);
  }

  #at(nowMs: number): Date {
    return new Date(this.#beganAt.getTime() + nowMs);
  }

  #shown({ stageId, outputs, history, ...job }: StoredJob): ShownJob {
    const outputByStage = modelStages.map(({ name }, stage) => [stage, outputs?.[name] ?? null] as const);
    return {
      ...job,
      stage: this.#stageIds.indexOf(stageId),
      outputs: Object.fromEntries(
        outputByStage.flatMap(([stage, output]) => (output === null ? [] : [[stage, output]])),
      ),
      history: (history ?? []).map(([ofStage, attempt, outcome, token]) => ({
        stage: this.#stageIds.indexOf(ofStage),
        attempt,
        outcome,
        token,
      })),
    };
  }

  async #rows(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    // Named, so that each is planned once: planning is most of what such a call costs.
    const name = `model ${text.length} ${text.slice(0, 40)}`;
    return (await this.#client.query({ name, text, values })).rows;
  }

  /** A refusal is an answer too: its code. */
  async #rowsOrCode(text: string, values: unknown[]): Promise<Record<string, unknown>[] | string> {
    try {
      return await this.#rows(text, values);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code?.startsWith("LS")) return code;
      throw error;
    }
  }

  async #word(call: string, values: unknown[], field = ""): Promise<string> {
    const rows = await this.#rowsOrCode(`select (lockstep.${call})${field} as word`, values);
    return typeof rows === "string" ? rows : String(rows[0]?.word);
  }
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

function claimsOf(rows: Record<string, unknown>[], token: string, workerId: string): Claim[] {
  return rows
    .filter(({ kind }) => kind === "claimed")
    .map(({ id }) => ({ jobId: String(id), token, workerId }));
}
