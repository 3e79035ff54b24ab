-- Records what a person did. Rows are added only here and never changed. Returns the number of the row.
-- Call it in the transaction of the action itself, so that either both are committed or neither is.
create or replace function lockstep.record_action(
  p_user text,
  p_action text,
  p_target text default '',
  p_outcome text default 'done',
  p_request_id text default null,
  p_detail jsonb default null,
  p_now timestamptz default clock_timestamp()
)
returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id bigint;
begin
  if coalesce(length(p_user), 0) not between 1 and 255 then
    raise exception 'A recorded action needs a user with 1 to 255 characters.' using errcode = 'LS001';
  end if;
  if p_action is null or p_action !~ '^[a-z]+\.[a-z_]+$' or length(p_action) > 100 then
    raise exception 'The action is "%", but must have the form of jobs.cancel.', left(p_action, 100) using errcode = 'LS001';
  end if;
  if length(p_target) > 600 or length(p_outcome) > 100 or length(p_request_id) > 255 then
    raise exception 'A recorded action can have at most 600 characters of target, 100 of outcome and 255 of request id.'
      using errcode = 'LS001';
  end if;
  if jsonb_typeof(p_detail) <> 'object' or octet_length(p_detail::text) > 8192 then
    raise exception 'The detail of a recorded action must be a JSON object of at most 8 KiB.'
      using errcode = 'LS001', hint = 'Payloads do not belong there.';
  end if;

  insert into lockstep.recorded_actions (at, user_name, action, target, outcome, request_id, detail)
  values (p_now, p_user, p_action, coalesce(p_target, ''), coalesce(p_outcome, 'done'), p_request_id, p_detail)
  returning id into v_id;
  return v_id;
end;
$$;
