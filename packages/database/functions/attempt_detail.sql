-- What an ended attempt leaves beside its times: its error and its log, or nothing. Inlined, as with_ended_attempt.
create or replace function lockstep.attempt_detail(p_error jsonb, p_log jsonb)
returns jsonb
language sql
stable    -- as jsonb_build_object is, or it would not be inlined
parallel safe
as $$
  select case
    when p_error is null and p_log is null then null
    when p_log is null then jsonb_build_object('error', p_error)
    when p_error is null then jsonb_build_object('log', p_log)
    else jsonb_build_object('error', p_error, 'log', p_log)
  end;
$$;
