import { functionFile, type Killer, type Mutant, type Replacement } from "./mutant.ts";

const sql = (name: string, from: string, to: string): Replacement => ({
  file: functionFile(`${name}.sql`),
  from,
  to,
});
const model = (seed: number): Killer => ({ suite: "model", seed });
const pairs: Killer = { suite: "pairs" };

const plainEnd =
  "where lockstep.is_same_id(j.id, g.id) and j.claim_token = g.token and j.stage_id = any (p_last_stage_ids)";
const heldByToken = "where j.id = g.id and j.claim_token = g.token\n      for update";
const goneByToken = " and j.claim_token is not distinct from e.claim_token";
const stayedByToken =
  "where lockstep.is_same_id(j.id, h.id) and j.claim_token = h.token\n      and h.status not in ";
const withoutToken = (isHeld: string) => [
  sql("complete_jobs", plainEnd, `where j.id = g.id and ${isHeld} and j.stage_id = any (p_last_stage_ids)`),
  sql("settle_with_care", heldByToken, `where j.id = g.id and ${isHeld}\n      for update`),
  sql("finish_jobs", goneByToken, ""),
  sql("settle_with_care", stayedByToken, "where j.id = h.id and h.status not in "),
];
const drawnAs = (token: string) => [
  sql("settle_and_claim", "gen_random_uuid()", token),
  sql("claim_suspect", "gen_random_uuid()", token),
];

/** The faults that live in SQL functions. */
export const sqlMutants: readonly Mutant[] = [
  {
    name: "M1",
    change: "a completion matches its job by id alone",
    replacements: [
      sql("complete_jobs", plainEnd, "where j.id = g.id and j.stage_id = any (p_last_stage_ids)"),
    ],
    killer: model(1),
  },
  {
    name: "M2",
    change: "ends match their job by id and processing, not by token",
    replacements: withoutToken("j.status = 'processing'"),
    killer: model(1),
  },
  {
    name: "M3",
    change: "the number of the attempt is the token",
    replacements: drawnAs("md5(concat_ws(' ', j.id, j.stage_id, j.attempt + 1))::uuid"),
    killer: model(1),
  },
  {
    name: "M4",
    change: "a counter of the row is the token",
    replacements: drawnAs("md5(concat_ws(' ', j.id, cardinality(j.history)))::uuid"),
    killer: model(1),
  },
  {
    name: "M5a",
    change: "progress is written without the token",
    replacements: [
      sql(
        "report_progress",
        "where j.id = p_id and j.claim_token = p_claim_token",
        "where j.id = p_id and j.status = 'processing'",
      ),
    ],
    killer: model(1),
  },
  {
    name: "M5b",
    change: "a release needs no token",
    replacements: [
      sql(
        "release_job",
        "p_claim_token, jsonb_build_object",
        "coalesce((select j.claim_token from lockstep.jobs j where j.id = p_id), p_claim_token), jsonb_build_object",
      ),
    ],
    killer: model(1),
  },
  {
    name: "M6",
    change: "a heartbeat revives a worker that was swept",
    replacements: [
      sql("renew_leases", "set heartbeat_at = p_now,", "set heartbeat_at = p_now, lost_at = null,"),
      sql("renew_leases", "where w.id = g.id and w.lost_at is null", "where w.id = g.id"),
    ],
    killer: model(1),
  },
  {
    name: "M7",
    change: "the sweep reads which leases are over, and does not look again when it has the row",
    replacements: [
      sql(
        "sweep_lost_workers",
        "where w.lost_at is null and w.lease_until < p_now\n",
        "where w.id = any (array(select e.id from lockstep.workers e where e.lost_at is null and e.lease_until < p_now))\n",
      ),
    ],
    killer: pairs,
  },
  {
    name: "M8",
    change: "the sweep takes the jobs of workers that it declares lost now, and of no others",
    replacements: [
      sql(
        "sweep_lost_workers",
        `where not exists (
      select from lockstep.workers w
      where w.id = h.worker_id and w.lost_at is null and w.lease_until >= p_now
    )`,
        "where exists (select from lockstep.workers w where w.id = h.worker_id and w.lost_at = p_now)",
      ),
    ],
    killer: model(1),
  },
  {
    name: "M9",
    change: "a job that is kept for its next stage keeps its token",
    replacements: [
      sql(
        "settle_with_care",
        "when h.status = 'processing' then p_claim_token end",
        "when h.status = 'processing' then j.claim_token end",
      ),
    ],
    killer: model(1),
  },
  {
    name: "M10",
    change: "an end that is sent again is told that its lease is lost",
    replacements: [sql("answers_to_lost_claims", "then 'already_applied'", "then 'lease_lost'")],
    killer: model(1),
  },
  {
    name: "M11",
    change: "a claim promotes scheduled jobs and forgets retrying ones",
    replacements: [
      sql("promote_due_jobs", "and j.position is null", "and j.position is null and j.status = 'scheduled'"),
    ],
    killer: model(1),
  },
  {
    name: "M12",
    change: "a job without attempts left is passed over instead of failed",
    replacements: [
      sql(
        "settle_with_care",
        "when g.outcome = 'retry' and j.attempt < s.max_attempts then",
        "when g.outcome = 'retry' then",
      ),
      sql(
        "promote_due_jobs",
        "and j.scheduled_for <= p_now",
        "and j.scheduled_for <= p_now\n and j.attempt < (select x.max_attempts from lockstep.stages x where x.id = j.stage_id)",
      ),
    ],
    killer: model(1),
  },
  {
    name: "M13",
    change: "the sweep counts no loss",
    replacements: [
      sql(
        "sweep_lost_workers",
        "when j.losses + 1 >= s.max_losses and (j.suspect or s.max_losses = 1)",
        "when false",
      ),
      sql("sweep_lost_workers", "least(j.losses + 1, s.max_losses) as losses", "j.losses"),
    ],
    killer: model(1),
  },
  {
    name: "M14a",
    change: "a late failure revives a job that is to be cancelled",
    replacements: [
      sql(
        "settle_with_care",
        "when j.cancel_requested_at is not null then 'cancelled'",
        "when j.cancel_requested_at is not null and g.outcome <> 'retry' then 'cancelled'",
      ),
    ],
    killer: model(1),
  },
  {
    name: "M14b",
    change: "a success that comes after the cancel was forced is taken",
    replacements: [
      sql(
        "settle_jobs",
        "  v_last_stage_ids := array(",
        `  update lockstep.finished_jobs f
  set status = 'completed', last_outcome = null
  from unnest(p_ids, p_tokens) as g (id, token)
  where f.id = g.id and f.claim_token = g.token and f.last_outcome = 'forced';

  v_last_stage_ids := array(`,
      ),
    ],
    killer: model(1),
  },
  {
    name: "M15",
    change: "a retry by hand keeps attempts and losses",
    replacements: [
      sql(
        "retry_job",
        "trace, history, outputs, payload\n  )",
        "trace, history, outputs, payload, attempt, losses\n  )",
      ),
      sql("retry_job", "v_job.payload\n  )", "v_job.payload, v_job.attempt, v_job.losses\n  )"),
    ],
    killer: model(1),
  },
  {
    name: "M16",
    change: "a release spends the attempt",
    replacements: [
      sql(
        "settle_with_care",
        "when h.outcome = 'retry' then j.attempt\n",
        "when h.outcome in ('retry', 'release') then j.attempt\n",
      ),
    ],
    killer: model(1),
  },
  {
    name: "M17",
    change: "an add looks for a twin and then inserts",
    replacements: [
      sql(
        "add_given_jobs",
        "      on conflict do nothing",
        `      where not exists (
        select from lockstep.jobs j
        where j.pipeline_id = g.pipeline_id and coalesce(j.owner, '') = coalesce(g.owner, '') and j.dedup_key = g.dedup_key
      )`,
      ),
    ],
    sql: "drop index lockstep.one_live_job_per_dedup_key;",
    killer: { suite: "tests", file: functionFile("add_jobs.race.test.ts") },
  },
  {
    name: "M18",
    change: "an add with an id of its own looks only among the live jobs",
    replacements: [
      sql(
        "settle_add",
        "and f.id = p_id\n    limit 1;\n    if found",
        "and f.id = p_id and false\n    limit 1;\n    if found",
      ),
    ],
    killer: model(1),
  },
  {
    name: "M19",
    change: "one claim that was lost aborts the whole batch of ends",
    replacements: [
      sql(
        "settle_jobs",
        "  v_settled := v_settled || v_rest.numbers;",
        `  v_settled := v_settled || v_rest.numbers;
  if cardinality(p_ids) > 1 and coalesce(cardinality(v_settled), 0) < cardinality(p_ids) then
    raise exception 'One of these jobs is not held.' using errcode = 'LS006';
  end if;`,
      ),
    ],
    killer: model(1),
  },
  {
    name: "M21",
    change: "a reader of events passes over what commits after its cursor",
    replacements: [
      sql("read_events", "v_late := array(select x from pg_snapshot_xip(v_base) x);", "v_late := '{}';"),
    ],
    killer: { suite: "tests", file: functionFile("read_events.race.test.ts") },
  },
  {
    name: "M22",
    change: "an effect begins without the token",
    replacements: [
      sql("begin_effect", "where j.id = p_id and j.claim_token = p_claim_token\n", "where j.id = p_id\n"),
    ],
    killer: model(1),
  },
  {
    name: "M23",
    change: "a job that becomes due comes before all that waits",
    replacements: [sql("promote_due_jobs", "position = nextval('lockstep.job_positions')", "position = 0")],
    killer: { suite: "tests", file: functionFile("promote_due_jobs.test.ts") },
  },
  {
    name: "M24",
    change: "a job whose worker was lost comes back to the place that it had",
    replacements: [sql("sweep_lost_workers", "        position = nextval('lockstep.job_positions'),\n", "")],
    killer: { suite: "tests", file: functionFile("sweep_lost_workers.test.ts") },
  },
  {
    name: "M25",
    change: "after a crash a claim comes back that was of another attempt",
    replacements: [sql("present_claims", "          and j.attempt = g.attempt - 1\n", "")],
    killer: { suite: "tests", file: functionFile("present_claims.test.ts") },
  },
  {
    name: "M26",
    change: "an add that is answered is not on disk yet",
    replacements: [
      sql(
        "add_given_jobs",
        "  if v_limited_ids is not null then\n    perform",
        "  perform set_config('synchronous_commit', 'off', true);\n  if v_limited_ids is not null then\n    perform",
      ),
    ],
    killer: { suite: "tests", file: functionFile("add_jobs.test.ts") },
  },
  {
    name: "M27",
    change: "a job that comes to a wait does not look for a signal that came early",
    replacements: [sql("begin_waits", "and s.kind = 'wait' and s.paused_at is null", "and false")],
    killer: model(1),
  },
  {
    name: "M28",
    change: "a signal looks at its job without a lock",
    replacements: [
      sql(
        "take_signal",
        "v_version := lockstep.lock_job_version(p_id);",
        "v_version := coalesce(p_if_version, lockstep.status_of_job(p_id)::text);",
      ),
    ],
    killer: pairs,
  },
  {
    name: "M29",
    change: "a wait takes every signal that comes, not one",
    replacements: [sql("take_signal", "return 'already_signalled';", "null;")],
    killer: model(1),
  },
  {
    name: "M30",
    change: "a job that is retried from before its wait still has the old signal",
    replacements: [sql("retry_job", "and g.taken_at is not null\n", "and false\n")],
    killer: pairs,
  },
  {
    name: "M31",
    change: "the branches of a job that ends run on",
    replacements: [sql("end_fan_out", "  perform lockstep.cancel_batch_jobs(p_batch_id, p_now);\n", "")],
    killer: pairs,
  },
  {
    name: "M32",
    change: "a branch that was to stop still is when its parent is retried",
    replacements: [
      sql(
        "resume_children",
        "set cancel_requested_at = null",
        "set cancel_requested_at = j.cancel_requested_at",
      ),
    ],
    killer: pairs,
  },
  {
    name: "M33",
    change: "a branch that somebody else holds when its parent is cancelled is forgotten",
    replacements: [
      sql(
        "cancel_batch_jobs",
        "set cancels_jobs = exists (\n    select from",
        "set cancels_jobs = false and exists (\n    select from",
      ),
    ],
    killer: pairs,
  },
  {
    name: "M34",
    change: "a stage still leads to a wait that was dropped",
    replacements: [
      sql(
        "apply_definition",
        "next_waits = coalesce(n.kind in ('wait', 'sleep'), false),",
        "next_waits = s.next_waits or coalesce(n.kind in ('wait', 'sleep'), false),",
      ),
    ],
    killer: pairs,
  },
  {
    name: "M35",
    change: "a write to a stream looks at its job without a lock",
    replacements: [sql("write_streams", "      for no key update of j skip locked\n", "")],
    killer: pairs,
  },
  {
    name: "M36",
    change: "a new attempt adds to what an earlier one wrote",
    replacements: [sql("write_streams", "if (v_is_first or v_write.rewind) and", "if v_write.rewind and")],
    killer: pairs,
  },
  {
    name: "M37",
    change: "a claim reads its budgets and does not lock them",
    replacements: [sql("lock_budgets", "    order by b.id\n    for no key update\n", "    order by b.id\n")],
    killer: { suite: "tests", file: functionFile("budgets.race.test.ts") },
  },
  {
    name: "M38",
    change: "what an attempt has spent counts only once a claim has added it to the usage",
    replacements: [
      sql("budget_state", "coalesce(u.spent, 0) + e.spent + r.spent", "coalesce(u.spent, 0) + r.spent"),
    ],
    killer: { suite: "tests", file: functionFile("set_budget_limit.test.ts") },
  },
  {
    name: "M39",
    change: "a job keeps what it was granted in a period that is over",
    replacements: [
      sql(
        "reserve_in_order",
        "when v_job.had_began[v_index] = v_periods[v_places[v_index]]",
        "when v_job.had_began[v_index] is not null",
      ),
    ],
    killer: { suite: "tests", file: functionFile("budgets.test.ts") },
  },
];
