-- Returns the row of a key, inserted if necessary, and locks it until the transaction ends.
create or replace function lockstep.lock_recent_key(
  p_pipeline_id integer,
  p_owner text,
  p_mode text,
  p_key text,
  p_id uuid,
  p_now timestamptz
)
returns lockstep.recent_keys
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_row lockstep.recent_keys;
begin
  loop
    select k.* into v_row
    from lockstep.recent_keys k
    where k.pipeline_id = p_pipeline_id and k.owner = p_owner and k.mode = p_mode and k.key = p_key
    for update;
    exit when found;

    -- Waits for a transaction that is inserting it now. The row may be deleted before it can be locked, hence the loop.
    insert into lockstep.recent_keys as k (pipeline_id, owner, mode, key, job_id, added_at, expires_at)
    values (p_pipeline_id, p_owner, p_mode, p_key, p_id, p_now, '-infinity')
    on conflict do nothing;
  end loop;
  return v_row;
end;
$$;
