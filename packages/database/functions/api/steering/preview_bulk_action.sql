-- How many jobs a bulk action would affect, counted up to 10,001, which means more than 10,000.
-- If it is neither exact nor capped, the count stopped after as many rows as it may read, and there may be more.
create or replace function lockstep.preview_bulk_action(
  p_action text,
  p_filter jsonb default '{}',
  p_ids uuid[] default null,
  p_from_stage text default null
)
returns table (jobs bigint, exact boolean, capped boolean)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_filter jsonb := lockstep.bulk_filter(p_action, p_filter, p_ids, p_from_stage);
begin
  if p_ids is not null then
    return query select count(distinct i.id), true, false from unnest(p_ids) as i (id);
  else
    return query select c.jobs, c.exact, c.capped from lockstep.count_jobs(v_filter, 10001) c;
  end if;
end;
$$;
