-- Whether the holder of this token ended its attempt itself; lost and forced ends are the word of others.
create or replace function lockstep.was_settled(p_history jsonb, p_claim_token uuid)
returns boolean
language sql
immutable
parallel safe
as $$
  select p_history @> jsonb_build_array(jsonb_build_object('token', p_claim_token))
    and not p_history @> jsonb_build_array(jsonb_build_object('token', p_claim_token, 'outcome', 'lost'))
    and not p_history @> jsonb_build_array(jsonb_build_object('token', p_claim_token, 'outcome', 'forced'));
$$;
