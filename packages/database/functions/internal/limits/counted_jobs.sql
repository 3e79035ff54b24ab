-- How many jobs run in a stage with limits, of one group or of all, counted up to p_at_most. Reads the jobs themselves.
create or replace function lockstep.counted_jobs(p_stage_id integer, p_group_key text, p_at_most integer)
returns integer
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_group_key is null then
    return (
      select count(*)
      from (
        select from lockstep.jobs j where j.counted and j.stage_id = p_stage_id
        order by j.group_key collate "C" limit p_at_most
      ) c
    );
  end if;
  return (
    select count(*)
    from (
      select from lockstep.jobs j
      where j.counted and j.stage_id = p_stage_id and j.group_key collate "C" = p_group_key
      order by j.group_key collate "C" limit p_at_most
    ) c
  );
end;
$$;
