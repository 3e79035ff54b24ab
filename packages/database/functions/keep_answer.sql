-- Keeps what was answered to a request under its key, in the transaction that has claimed the key.
create or replace function lockstep.keep_answer(
  p_user text,
  p_key text,
  p_request_hash text,
  p_answer json,
  p_keep interval default '24 hours',
  p_now timestamptz default clock_timestamp()
)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  insert into lockstep.idempotency_keys (user_name, key, request_hash, answer, expires_at)
  values (p_user, p_key, p_request_hash, p_answer, p_now + p_keep)
  on conflict (user_name, key) do update    -- one that is over, and not yet deleted
  set request_hash = excluded.request_hash, answer = excluded.answer, expires_at = excluded.expires_at;
$$;
