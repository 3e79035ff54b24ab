-- Whether a job in one stage can still come to another one, by the stages that follow.
create or replace function lockstep.is_ahead(p_from_id integer, p_stage_id integer)
returns boolean
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  -- Not by ordinals, which a stage that is no longer part of its pipeline has not; it keeps its next stage.
  with recursive following as (
    select s.next_stage_id as id from lockstep.stages s where s.id = p_from_id
    union
    select s.next_stage_id from following f join lockstep.stages s on s.id = f.id
  )
  select exists (select from following f where f.id = p_stage_id);
$$;
