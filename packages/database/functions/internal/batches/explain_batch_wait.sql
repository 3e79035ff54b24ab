-- The row of explain_job for a job that waits for a batch.
create or replace function lockstep.explain_batch_wait(p_batch_id uuid)
returns table (reason text, explanation text, detail jsonb)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select
    case when b.fan_out_stage_id is null then 'waits_for_batch' else 'waits_for_children' end,
    format(
      'It waits for the %s of batch %s: %s of %s left, %s completed, %s failed, %s cancelled.%s',
      case when b.fan_out_stage_id is null then 'jobs' else 'children' end, b.id,
      b.total - b.completed - b.failed - b.cancelled, b.total, b.completed, b.failed, b.cancelled,
      case when b.closed_at is null then ' The batch is still open: it cannot finish before close_batch.' else '' end
    ),
    jsonb_build_object(
      'batchId', b.id, 'total', b.total, 'completed', b.completed, 'failed', b.failed, 'cancelled', b.cancelled
    )
  from lockstep.batches b
  where b.id = p_batch_id;
$$;
