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
      'It waits for the %s of batch %s: %s of %s left, %s completed, %s failed, %s cancelled.%s%s',
      case when b.fan_out_stage_id is null then 'jobs' when b.returns = 'branches' then 'branches' else 'children' end, b.id,
      b.total - b.completed - b.failed - b.cancelled, b.total, b.completed, b.failed, b.cancelled,
      case when b.closed_at is null then ' The batch is still open: it cannot finish before close_batch.' else '' end,
      ' Of the branches, ' || n.sentence || '.'
    ),
    jsonb_build_object(
      'batchId', b.id, 'total', b.total, 'completed', b.completed, 'failed', b.failed, 'cancelled', b.cancelled
    ) || case when b.returns = 'branches' then jsonb_build_object('branches', n.statuses) else '{}' end
  from lockstep.batches b
  left join lateral (
    select
      string_agg(format('%s is %s', c.name, c.status), ', ' order by c.number) as sentence,
      jsonb_object_agg(c.name, c.status) as statuses
    from (
      select c.branch ->> 'name' as name, lockstep.status_of_job((c.branch ->> 'jobId')::uuid) as status, c.number
      from jsonb_array_elements(b.branches) with ordinality as c (branch, number)
      limit 20
    ) c
  ) n on b.returns = 'branches'
  where b.id = p_batch_id;
$$;
