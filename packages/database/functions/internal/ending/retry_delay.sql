-- How long a job waits after its nth failure in a stage. Jitter only shortens the delay, so that it is never longer than the cap.
create or replace function lockstep.retry_delay(
  p_kind text,
  p_base_ms bigint,
  p_cap_ms bigint,
  p_jitter double precision,
  p_failures integer
)
returns interval
language sql
volatile
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  -- a jitter close to 0 counts as 0: its product with a small random number could underflow, which is an error in PostgreSQL
  select make_interval(secs => (1 - case when p_jitter < 1e-9 then 0 else p_jitter * random() end) / 1000.0 * least(
    p_cap_ms,
    157680000000,    -- 5 years: a delay beyond the range of timestamps would make the settle fail, for ever
    p_base_ms * case p_kind
      when 'constant' then 1
      when 'linear' then greatest(1, p_failures)
      else power(2::double precision, least(30, greatest(1, p_failures) - 1))   -- it doubles 30 times at most
    end
  ));
$$;
