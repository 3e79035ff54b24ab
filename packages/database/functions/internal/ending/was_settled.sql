-- Whether the holder of this token ended the attempt itself. Losses and forced ends come from others.
create or replace function lockstep.was_settled(p_history lockstep.ended_attempt[], p_claim_token uuid)
returns boolean
language sql
immutable
parallel safe
as $$
  select exists (
    select from unnest(p_history) h
    where h.claim_token = p_claim_token and h.outcome not in ('lost', 'forced')
  );
$$;
