-- Takes the gates of some stages to the end of the transaction: claims there come one after the other, and each sees what
-- those before it took, so that no limit is overshot. Says how old its statement is now: a rate goes by the time at the gate.
create or replace function lockstep.lock_gates(p_stage_ids integer[])
returns interval
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  v_locked integer;
begin
  perform from lockstep.stage_gates g where g.stage_id = any (p_stage_ids) order by g.stage_id for update;
  get diagnostics v_locked = row_count;
  if v_locked < cardinality(p_stage_ids) then
    insert into lockstep.stage_gates (stage_id)
    select s.id from unnest(p_stage_ids) as s (id) order by s.id
    on conflict do nothing;
    perform from lockstep.stage_gates g where g.stage_id = any (p_stage_ids) order by g.stage_id for update;
  end if;
  return clock_timestamp() - statement_timestamp();
end;
$$;
