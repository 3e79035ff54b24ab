-- Stores the answer to a request under its key. Call it in the transaction that has claimed the key.
create or replace function lockstep.keep_answer(
  p_user text,
  p_key text,
  p_request_hash text,
  p_answer json,
  p_keep interval default '24 hours',
  p_owner text default null,
  p_now timestamptz default clock_timestamp()
)
returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
  insert into lockstep.idempotency_keys (user_name, owner, key, request_hash, answer, expires_at)
  values (p_user, coalesce(p_owner, ''), p_key, p_request_hash, p_answer, p_now + p_keep)
  on conflict (user_name, owner, key) do update    -- a key whose time is over and that is not deleted yet
  set request_hash = excluded.request_hash, answer = excluded.answer, expires_at = excluded.expires_at;
$$;
