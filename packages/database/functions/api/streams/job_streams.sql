-- The streams of a job, by name: how many chunks are kept, how much room they take, and when it began and was last written to.
create or replace function lockstep.job_streams(p_id uuid)
returns table (name text, chunks integer, bytes bigint, begun_at timestamptz, written_at timestamptz)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select s.name, s.chunks, s.bytes, s.begun_at, s.written_at
  from lockstep.streams s
  where s.job_id = p_id
    and (
      exists (select from lockstep.jobs j where j.id = p_id and j.added_at = s.job_added_at)
      or exists (
        select from lockstep.finished_jobs f
        where f.pipeline_id = s.pipeline_id and f.id = p_id and f.added_at = s.job_added_at
      )
    )
  order by s.name;
$$;
