-- signal_job for those who know not the id of the job, but the key that it was given (signal_keys). Answers what signal_job does, and who
-- got the signal; not_found if no job has the key.
create or replace function lockstep.signal_job_by_key(
  p_pipeline text,
  p_key text,
  p_name text,
  p_value jsonb default 'null',
  p_by text default null,
  p_is_recorded boolean default false,
  p_now timestamptz default clock_timestamp()
)
returns table (answer text, job_id uuid)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_asked_id uuid;
begin
  loop
    select k.job_id into job_id
    from lockstep.signal_keys k
    join lockstep.pipelines p on p.id = k.pipeline_id
    where p.name = p_pipeline and k.key = p_key;
    if not found then
      answer := coalesce(answer, 'not_found');
      return next;
      return;
    end if;
    -- The key has gone to another job only if the one that had it has finished.
    exit when job_id = v_asked_id;
    answer := lockstep.signal_job(job_id, p_name, p_value, p_by, p_is_recorded => p_is_recorded, p_now => p_now);
    exit when answer <> 'already_finished';
    v_asked_id := job_id;
  end loop;
  return next;
end;
$$;
