-- The idempotency key of an effect. It is always the same for the same job and key, even on a server that has lost the record of its
-- start, until somebody makes the ledger forget the effect. A job that is added later under the same id has other keys. The stage does
-- not matter: an effect belongs to its job.
create or replace function lockstep.idempotency_key_of(
  p_job_id uuid,
  p_job_added_at timestamptz,
  p_key text,
  p_forgotten integer
)
returns uuid
language sql
stable
as $$
  select encode(
    set_byte(
      set_byte(v.hash, 6, get_byte(v.hash, 6) & 15 | 128),     -- version 8: a custom format
      8, get_byte(v.hash, 8) & 63 | 128                        -- and its variant
    ),
    'hex'
  )::uuid
  from (
    select substring(sha256(convert_to(
      format('%s %s %s %s', p_job_id, extract(epoch from p_job_added_at), p_forgotten, p_key), 'UTF8'
    )) from 1 for 16) as hash
  ) v;
$$;
