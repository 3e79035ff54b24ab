-- For people who have found out that an effect did happen: records it as done, with the value that later attempts get.
-- Returns whether the job has such an effect. Raises an error if the effect is running.
create or replace function lockstep.confirm_effect(
  p_id uuid,
  p_key text,
  p_value jsonb default null,
  p_now timestamptz default clock_timestamp()
)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if octet_length(p_value::text) > 1048576 then
    raise exception 'The value of effect "%" of job % has % bytes, but the limit is 1048576 (1 MiB).',
      p_key, p_id, octet_length(p_value::text)
      using errcode = 'LS001', hint = 'Store large results elsewhere and give a reference to them.';
  end if;
  perform lockstep.refuse_running_effects(p_id, p_key);
  update lockstep.effects e
  set state = 'done',
      value = p_value,
      ended_at = p_now
  where e.job_id = p_id and e.key = p_key and e.starts > 0;
  return found;
end;
$$;
