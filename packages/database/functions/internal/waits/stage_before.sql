-- The name of the stage whose output the handler of this stage gets: the one before it that is not a sleep, which has no output of its
-- own. Null for the first stage, and for one that is no longer part of its pipeline.
create or replace function lockstep.stage_before(p_stage_id integer)
returns text
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select b.name
  from lockstep.stages s
  join lockstep.stages b on b.pipeline_id = s.pipeline_id and b.ordinal < s.ordinal and b.kind <> 'sleep'
  where s.id = p_stage_id
  order by b.ordinal desc
  limit 1;
$$;
