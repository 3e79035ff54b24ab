-- When the period of a budget ends in which p_now is; never() if it does not. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.budget_turn(p_every_ms bigint, p_now timestamptz)
returns timestamptz
language sql
stable
as $$
  select case
    when p_every_ms is null then lockstep.never()
    else to_timestamp((floor(extract(epoch from p_now) * 1000 / p_every_ms) + 1) * p_every_ms / 1000.0)
  end;
$$;
