-- How far the holder of a claim has come, 0 to 100, with a note and data of its own.
create or replace function lockstep.report_progress(
  p_id uuid,
  p_claim_token uuid,
  p_percent numeric,
  p_note text default null,
  p_data jsonb default null
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update lockstep.jobs j
  set progress = least(100, greatest(0, round(p_percent))),
      progress_note = left(p_note, 500),
      progress_data = p_data
  where j.id = p_id and j.claim_token = p_claim_token;
  return case when found then 'applied' else 'lease_lost' end;
end;
$$;
