-- Of the stages that wrote to a stream, the first whose text an attempt of p_stage_id replaces: that stage itself, or a later one, which wrote
-- before a person sent the job back. One more than there are, if there is none.
create or replace function lockstep.section_of_stage(p_stage_ids integer[], p_stage_id integer)
returns integer
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(min(w.number), cardinality(p_stage_ids) + 1)::integer
  from unnest(p_stage_ids) with ordinality as w (id, number)
  join lockstep.stages s on s.id = w.id
  where s.id = p_stage_id
    or s.ordinal >= (select mine.ordinal from lockstep.stages mine where mine.id = p_stage_id);
$$;
