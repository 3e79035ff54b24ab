-- Records in a batch which of its children is which branch. Refuses names that are missing or given twice, policies that do not exist,
-- and a batch that returns the result of its only child but has none or several.
create or replace function lockstep.note_branches(p_batch_id uuid, p_children jsonb, p_ids uuid[], p_on_failure text)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_batch lockstep.batches;
  v_refused text;
begin
  update lockstep.batches b
  set branches = b.branches || (
    select jsonb_agg(
      jsonb_build_object(
        'name', case when b.returns = 'branches' then c.child ->> 'branch' end,
        'jobId', p_ids[c.ordinality],
        'onFailure', coalesce(c.child ->> 'onFailure', p_on_failure)
      )
      order by c.ordinality
    )
    from jsonb_array_elements(p_children) with ordinality as c (child, ordinality)
  )
  where b.id = p_batch_id
  returning b.* into v_batch;

  v_refused := case
    when v_batch.returns = 'child' and jsonb_array_length(v_batch.branches) <> 1 then 'its stage returns what one child returns'
    else (
      select case
        when c.branch ->> 'onFailure' not in ('fail', 'continue', 'ignore') then
          format('"onFailure" must be fail, continue or ignore, not %s', c.branch ->> 'onFailure')
        when v_batch.returns = 'branches' and coalesce(c.branch ->> 'name', '') = '' then 'a branch needs a name in "branch"'
        else format('there are two branches "%s"', c.branch ->> 'name')
      end
      from (
        select b.branch, count(*) over (partition by b.branch ->> 'name') as named_so
        from jsonb_array_elements(v_batch.branches) as b (branch)
      ) c
      where c.branch ->> 'onFailure' not in ('fail', 'continue', 'ignore')
        or v_batch.returns = 'branches' and (coalesce(c.branch ->> 'name', '') = '' or c.named_so > 1)
      limit 1
    )
  end;
  if v_refused is not null then
    raise exception 'A child of job % cannot be added: %.', v_batch.waiting_job_id, v_refused using errcode = 'LS001';
  end if;
end;
$$;
