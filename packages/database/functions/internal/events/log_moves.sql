-- Writes moves to the realtime log: those of jobs with an owner, and of pipelines that write events for all their jobs.
create or replace function lockstep.log_moves(p_moves lockstep.job_move[], p_now timestamptz)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  insert into lockstep.events (at, job_id, pipeline_id, stage_id, owner, kind, detail)
  select p_now, m.job_id, m.pipeline_id, m.stage_id, m.owner,
    case
      when m.moved_from = '' and m.moved_to = 'processing' then 'job.claimed'    -- its worker kept the job for this stage
      when m.moved_from = '' then 'job.added'
      when m.moved_from in ('failed', 'cancelled') then 'job.retried'
      when m.moved_to = '' then 'job.advanced'
      when m.moved_to = 'scheduled' then 'job.snoozed'
      when m.moved_to = 'pending' and m.value is not null then 'job.lost'
      when m.moved_to = 'pending' then 'job.released'
      else 'job.' || m.moved_to    -- completed, retrying, failed, cancelled, skipped, branched; of a wait waiting, signalled, timed_out, slept
    end,
    jsonb_strip_nulls(jsonb_build_object(
      'attempt', case when m.attempt > 0 then m.attempt end,
      'nextStage', (select s.name from lockstep.stages s where s.id = m.next_stage_id),
      'error', case when m.moved_to in ('retrying', 'failed') or m.moved_to = 'pending' and m.value is not null
        then jsonb_build_object('name', left(m.value ->> 'name', 200), 'message', left(m.value ->> 'message', 2000)) end
    )) || case
      when m.moved_to in ('waiting', 'signalled', 'timed_out', 'slept') then m.value
      when m.moved_to <> 'completed' then '{}'
      -- by the stored size, so that not every result has to be converted to text
      when pg_column_size(m.value) > 8192 then '{"resultLeftOut": true}'
      else jsonb_build_object('result', m.value)
    end
  from unnest(p_moves) with ordinality as m
  where m.owner is not null
    or m.pipeline_id = any (array(select p.id from lockstep.pipelines p where p.logs_events))
  order by m.ordinality;
$$;
