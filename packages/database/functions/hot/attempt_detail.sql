-- The error and the log of an ended attempt as one JSON object; null if it has neither. PostgreSQL inlines it, like with_ended_attempt.
create or replace function lockstep.attempt_detail(p_error jsonb, p_log jsonb)
returns jsonb
language sql
stable    -- like jsonb_build_object; immutable, it would not be inlined
parallel safe
as $$
  select case
    when p_error is null and p_log is null then null
    when p_log is null then jsonb_build_object('error', p_error)
    when p_error is null then jsonb_build_object('log', p_log)
    else jsonb_build_object('error', p_error, 'log', p_log)
  end;
$$;
