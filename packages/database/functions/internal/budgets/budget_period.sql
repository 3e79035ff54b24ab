-- When the period of a budget began in which p_now is; 1970 if it never ends. Plain SQL without settings, so that PostgreSQL inlines it.
create or replace function lockstep.budget_period(p_every_ms bigint, p_now timestamptz)
returns timestamptz
language sql
stable
as $$
  select case
    when p_every_ms is null then timestamptz 'epoch'
    else to_timestamp(floor(extract(epoch from p_now) * 1000 / p_every_ms) * p_every_ms / 1000.0)
  end;
$$;
