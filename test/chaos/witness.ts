import type { ChaosDatabase } from "./chaos-database.ts";

/** One move of a job, as the database itself saw it. */
export interface Move {
  readonly kind: "claimed" | "left" | "finished";
  readonly at_ms: number;
  readonly job_id: string;
  readonly stage: string;
  readonly next_stage: string | null;
  /** The claim that the move ended; of a claim, the new one. */
  readonly token: string | null;
  readonly worker_id: string | null;
  readonly status: string;
  /** How the try ended, as its history says. */
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

create function witness.see_end() returns trigger language plpgsql as $$
begin
  insert into witness.moves (kind, job_id, stage_id, token, worker_id, status, outcome, value)
  values ('finished', new.id, new.stage_id, new.claim_token, new.worker_id, new.status, new.last_outcome,
    coalesce(new.result, new.error));
  return null;
end;
$$;
create trigger see_end after insert on lockstep.finished_jobs for each row execute function witness.see_end();
`;

export async function installWitness(database: ChaosDatabase): Promise<void> {
  await database.query(witness);
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
