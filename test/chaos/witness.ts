import type { ChaosDatabase } from "./chaos-database.ts";

/** One move of a job, as the database itself saw it. */
export interface Move {
  readonly kind: "claimed" | "left" | "finished" | "changed";
  readonly at_ms: number;
  readonly job_id: string;
  readonly stage: string;
  readonly next_stage: string | null;
  /** The claim that the move ended; of a claim, the new one. */
  readonly token: string | null;
  readonly worker_id: string | null;
  readonly status: string;
  /** How the attempt ended, as its history says. */
  readonly outcome: string | null;
  /** The output, result or error that was stored. */
  readonly value: unknown;
}

/**
 * Triggers that write down every claim and every end of one, with the token that was replaced: what the functions
 * themselves say is not taken for granted.
 */
const witness = `
create schema witness;
create table witness.moves (
  number bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  job_id uuid not null,
  stage_id integer not null,
  next_stage_id integer,
  token uuid,
  worker_id uuid,
  status text not null,
  outcome text,
  value jsonb
);

create function witness.see_move() returns trigger language plpgsql as $$
begin
  if old.claim_token is not null then
    insert into witness.moves (kind, job_id, stage_id, next_stage_id, token, worker_id, status, outcome, value)
    select 'left', old.id, old.stage_id, new.stage_id, old.claim_token, old.worker_id, new.status, h.outcome,
      case when h.outcome = 'done' then new.outputs -> s.name else h.detail -> 'error' end
    from lockstep.stages s
    cross join (select (new.history[cardinality(new.history)]).*) h
    where s.id = old.stage_id;
  end if;
  if new.claim_token is not null then
    insert into witness.moves (kind, job_id, stage_id, token, worker_id, status)
    values ('claimed', new.id, new.stage_id, new.claim_token, new.worker_id, new.status);
  end if;
  return null;
end;
$$;
create trigger see_move after update on lockstep.jobs for each row
  when (old.claim_token is distinct from new.claim_token) execute function witness.see_move();

create table witness.sweeps (at timestamptz not null default clock_timestamp());
create function witness.see_sweep() returns trigger language plpgsql as $$
begin
  insert into witness.sweeps default values;
  return null;
end;
$$;
create trigger see_sweep after update on lockstep.upkeep for each row
  when (new.task = 'sweep') execute function witness.see_sweep();

create function witness.see_end() returns trigger language plpgsql as $$
begin
  insert into witness.moves (kind, job_id, stage_id, token, worker_id, status, outcome, value)
  values ('finished', new.id, new.stage_id, new.claim_token, new.worker_id, new.status, new.last_outcome,
    coalesce(new.result, new.error));
  return null;
end;
$$;
create trigger see_end after insert on lockstep.finished_jobs for each row execute function witness.see_end();

create function witness.see_change() returns trigger language plpgsql as $$
begin
  insert into witness.moves (kind, job_id, stage_id, token, worker_id, status)
  values ('changed', old.id, old.stage_id, old.claim_token, old.worker_id, old.status);
  return null;
end;
$$;
create trigger see_change after update or delete on lockstep.finished_jobs for each row execute function witness.see_change();
`;

export async function installWitness(database: ChaosDatabase): Promise<void> {
  await database.query(witness);
}

/** When sweeps began, in milliseconds since 1970. */
export async function sweepsOf(database: ChaosDatabase): Promise<number[]> {
  const rows = await database.query<{ at_ms: number }>(
    "select (extract(epoch from at) * 1000)::double precision as at_ms from witness.sweeps order by at",
  );
  return rows.map(({ at_ms }) => at_ms);
}

/** The jobs with an owner whose events are not those of their moves, one for each and none more. */
export async function wronglyToldJobs(database: ChaosDatabase): Promise<string[]> {
  const rows = await database.query<{ job_id: string }>(
    `select m.job_id
     from (
       select job_id, count(*) filter (where kind = 'claimed') as claims, count(*) filter (where kind = 'left') as leaves,
         count(*) filter (where kind = 'finished') as ends
       from witness.moves
       group by job_id
     ) m
     join lockstep.finished_jobs f on f.id = m.job_id
     left join (
       select job_id, count(*) filter (where kind = 'job.claimed') as claims,
         count(*) filter (where kind in ('job.advanced', 'job.retrying', 'job.snoozed', 'job.lost', 'job.released')) as leaves,
         count(*) filter (where kind in ('job.completed', 'job.failed', 'job.cancelled')) as ends
       from lockstep.events
       group by job_id
     ) e using (job_id)
     where f.owner is not null and (m.claims, m.leaves, m.ends) is distinct from (e.claims, e.leaves, e.ends)`,
  );
  return rows.map(({ job_id }) => job_id);
}

/** All that was seen, in order. */
export async function movesOf(database: ChaosDatabase): Promise<Move[]> {
  return database.query<Move & Record<string, unknown>>(
    `select m.kind, (extract(epoch from m.at) * 1000)::double precision as at_ms, m.job_id, s.name as stage,
       n.name as next_stage, m.token, m.worker_id, m.status, m.outcome, m.value
     from witness.moves m
     join lockstep.stages s on s.id = m.stage_id
     left join lockstep.stages n on n.id = m.next_stage_id
     order by m.number`,
  );
}
