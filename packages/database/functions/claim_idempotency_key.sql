-- Takes a user's key for the rest of the transaction: at most one request under a key is being answered. Answers
--   claimed   do what was asked, and call keep_answer before the commit
--   replayed  it was done before: answer is what was answered then
--   reused    the key was used for another request, by its hash
--   in_use    that request, or another under this key, is being answered at this moment. Nobody is waited for
create or replace function lockstep.claim_idempotency_key(
  p_user text,
  p_key text,
  p_request_hash text,
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
    raise exception 'A key takes a user, a key and the hash of its request, each in at most 255 characters.'
      using errcode = 'LS001';
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended(format('lockstep %s %s %s', length(p_user), p_user, p_key), 0)) then
    return query select 'in_use', null::json;
    return;
  end if;

  -- Of its own, so that it sees what the last holder of the lock has committed.
  select k.* into v_kept
  from lockstep.idempotency_keys k
  where k.user_name = p_user and k.key = p_key and k.expires_at > p_now;
  return query select
    case
      when v_kept.key is null then 'claimed'
      when v_kept.request_hash <> p_request_hash then 'reused'
      else 'replayed'
    end,
    case when v_kept.request_hash = p_request_hash then v_kept.answer end;
end;
$$;
