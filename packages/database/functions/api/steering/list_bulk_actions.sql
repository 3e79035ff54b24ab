-- Bulk actions as get_bulk_action shows them, newest first. With p_running, only those that are running, oldest first: the next to be
-- stepped. p_before is the id of the last row of the previous page.
create or replace function lockstep.list_bulk_actions(
  p_before uuid default null,
  p_limit integer default 50,
  p_running boolean default false
)
returns setof lockstep.shown_bulk_action
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_ids uuid[];
begin
  if p_limit is null or p_limit not between 1 and 200 then
    raise exception 'The limit is %, but must be from 1 to 200.', p_limit using errcode = 'LS001';
  end if;
  if p_running then
    v_ids := array(select b.id from lockstep.bulk_actions b where b.status = 'running' order by b.id limit p_limit);
  else
    v_ids := array(
      select b.id from lockstep.bulk_actions b where p_before is null or b.id < p_before order by b.id desc limit p_limit
    );
  end if;
  return query
    select g.* from unnest(v_ids) with ordinality as i (id, number) cross join lateral lockstep.get_bulk_action(i.id) g order by i.number;
end;
$$;
