-- Raises an error if the payload of one of these jobs does not fit the schema of its pipeline, and says why. Does nothing if all fit.
-- Payloads that satisfy the predicate made from the schema certainly fit. The others are checked against the schema itself, which also
-- gives the words of the message.
create or replace function lockstep.refuse_invalid_payloads(p_jobs jsonb)
returns void
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
begin
  select j.number, p.name as pipeline, r.refusal into v_job
  from jsonb_array_elements(p_jobs) with ordinality as j (job, number)
  join lockstep.pipelines p on p.name = j.job ->> 'pipeline' and p.payload_schema is not null
  cross join lateral lockstep.schema_refusal(p.payload_schema, coalesce(j.job -> 'payload', 'null')) as r (refusal)
  where r.refusal is not null
    and lockstep.fits_predicate(j.job -> 'payload', p.payload_predicate) is not true
  order by j.number
  limit 1;
  if found then
    raise exception 'Job % of % cannot be added: its payload does not fit the schema of pipeline "%": %.',
      v_job.number, jsonb_array_length(p_jobs), v_job.pipeline, v_job.refusal
      using errcode = 'LS009';
  end if;
end;
$$;
