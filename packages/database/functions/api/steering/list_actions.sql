-- What people did, newest first. p_before is the id of the last row of the previous page. With both a user and a target, only the newest
-- 10,000 actions on that target are read.
create or replace function lockstep.list_actions(
  p_before bigint default null,
  p_limit integer default 50,
  p_user text default null,
  p_target text default null
)
returns table (
  id bigint,
  at timestamptz,
  user_name text,
  action text,
  target text,
  outcome text,
  request_id text,
  detail jsonb
)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_before bigint := coalesce(p_before, 9223372036854775807);
begin
  if p_limit is null or p_limit not between 1 and 200 then
    raise exception 'The limit is %, but must be from 1 to 200.', p_limit using errcode = 'LS001';
  end if;

  -- A statement for each case, so that each uses the index that has its order.
  if p_target is not null then
    return query
      select a.id, a.at, a.user_name, a.action, a.target, a.outcome, a.request_id, a.detail
      from (
        select a.* from lockstep.recorded_actions a
        where a.target = p_target and a.id < v_before
        order by a.id desc
        limit case when p_user is null then p_limit else 10000 end
      ) a
      where p_user is null or a.user_name = p_user
      order by a.id desc
      limit p_limit;
  elsif p_user is not null then
    return query
      select a.id, a.at, a.user_name, a.action, a.target, a.outcome, a.request_id, a.detail
      from lockstep.recorded_actions a
      where a.user_name = p_user and a.id < v_before
      order by a.id desc
      limit p_limit;
  else
    return query
      select a.id, a.at, a.user_name, a.action, a.target, a.outcome, a.request_id, a.detail
      from lockstep.recorded_actions a
      where a.id < v_before
      order by a.id desc
      limit p_limit;
  end if;
end;
$$;
