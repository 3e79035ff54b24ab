-- Stores how far the handler of a claim has come, in percent, with a note and data, and what it has logged so far.
-- If p_percent is null, the progress stays as it is; if p_log is null, the log does.
create or replace function lockstep.report_progress(
  p_id uuid,
  p_claim_token uuid,
  p_percent numeric,
  p_note text default null,
  p_data jsonb default null,
  p_log jsonb default null,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_held boolean;
  v_is_noted boolean;
begin
  update lockstep.jobs j
  set progress = case when p_percent is null then j.progress else least(100, greatest(0, round(p_percent))) end,
      progress_note = case when p_percent is null then j.progress_note else left(p_note, 500) end,
      progress_data = case when p_percent is null then j.progress_data else p_data end,
      log = coalesce(p_log, j.log)
  where j.id = p_id and j.claim_token = p_claim_token
  returning true, j.noted into v_is_held, v_is_noted;
  if v_is_noted and p_percent is not null then
    perform lockstep.log_event(
      p_id, 'job.progress',
      jsonb_build_object(
        'percent', least(100, greatest(0, round(p_percent))),
        'note', left(p_note, 500),
        'data', case when pg_column_size(p_data) <= 8192 then p_data end
      ),
      p_now
    );
  end if;
  return case when v_is_held then 'applied' else 'lease_lost' end;
end;
$$;
