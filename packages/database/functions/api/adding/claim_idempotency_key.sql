-- Takes a user's key until the end of the transaction, so that only one request with this key is processed at a time. Answers
--   claimed   process the request, and call keep_answer before the commit
--   replayed  the request was processed before: answer is the answer it got
--   reused    the key was used for another request (one with another hash)
--   in_use    another transaction is processing a request with this key; the call does not wait for it
create or replace function lockstep.claim_idempotency_key(
  p_user text,
  p_key text,
  p_request_hash text,
  p_owner text default null,      -- the owner that the user's access is bound to: different owners share no keys
  p_now timestamptz default clock_timestamp()
)
returns table (state text, answer json)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_kept lockstep.idempotency_keys;
begin
  if coalesce(length(p_user), 0) not between 1 and 255 or coalesce(length(p_key), 0) not between 1 and 255
    or coalesce(length(p_request_hash), 0) not between 1 and 255
  then
    raise exception 'An idempotency key needs a user, a key and the hash of the request, each with 1 to 255 characters.'
      using errcode = 'LS001';
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended(format(
    'lockstep.idempotency_keys %s %s %s %s %s', length(p_user), p_user, length(p_owner), p_owner, p_key
  ), 0)) then
    return query select 'in_use', null::json;
    return;
  end if;

  -- A statement of its own, so that it sees what the last holder of the lock has committed.
  select k.* into v_kept
  from lockstep.idempotency_keys k
  where k.user_name = p_user and k.owner = coalesce(p_owner, '') and k.key = p_key and k.expires_at > p_now;
  return query select
    case
      when v_kept.key is null then 'claimed'
      when v_kept.request_hash <> p_request_hash then 'reused'
      else 'replayed'
    end,
    case when v_kept.request_hash = p_request_hash then v_kept.answer end;
end;
$$;
