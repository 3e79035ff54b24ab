-- Opens a batch. Jobs join it with "batchId" in add_jobs, until close_batch. A batch that exists is left as it is.
-- p_follower is a job as add_jobs takes it. It is added now, so that an error in it is raised now, and it waits until the batch is
-- finished.
create or replace function lockstep.open_batch(
  p_id uuid default null,
  p_follower jsonb default null,
  p_now timestamptz default clock_timestamp()
)
returns table (id uuid, created boolean, follower_id uuid)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_id uuid := coalesce(p_id, lockstep.new_job_id(p_now));
  v_unfit text;
  v_follower record;
begin
  insert into lockstep.batches (id, added_at) values (v_id, p_now) on conflict do nothing;
  if not found then
    return query select b.id, false, b.waiting_job_id from lockstep.batches b where b.id = v_id;
    return;
  end if;
  if coalesce(jsonb_typeof(p_follower), 'null') = 'null' then
    return query select v_id, true, null::uuid;
    return;
  end if;

  v_unfit := case
    when jsonb_typeof(p_follower) <> 'object' then format('it must be a JSON object, not %s', jsonb_typeof(p_follower))
    else (
      select format('a follower cannot have "%s"', k.name)
      from unnest(array['scheduledFor', 'startBy', 'dedupKey', 'dedup', 'batchId']) as k (name)
      where p_follower ->> k.name is not null
      limit 1
    )
  end;
  if v_unfit is not null then
    raise exception 'The follower of batch % cannot be added: %.', v_id, v_unfit using errcode = 'LS001';
  end if;

  select a.id, a.created into v_follower
  from lockstep.add_jobs(
    jsonb_build_array(p_follower || jsonb_build_object('scheduledFor', p_now + interval '1 day')), p_now => p_now
  ) a;
  if not v_follower.created then
    raise exception 'The follower of batch % cannot be added: job % exists already.', v_id, v_follower.id
      using errcode = 'LS001';
  end if;
  update lockstep.jobs j set waits_for = v_id, scheduled_for = null where j.id = v_follower.id;
  update lockstep.batches b set waiting_job_id = v_follower.id where b.id = v_id;
  return query select v_id, true, v_follower.id;
end;
$$;
