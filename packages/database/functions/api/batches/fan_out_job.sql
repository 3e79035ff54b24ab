-- Ends the stage of a claim and adds children: jobs that must end before the job runs its next stage. p_children is an array of jobs as
-- add_jobs takes them, without "id", "dedupKey", "dedup" and "batchId"; owner, priority and trace default to those of the parent.
-- p_on_failure: fail (if a child fails or is cancelled, the parent fails and the other children are cancelled), continue (the next stage
-- sees which children failed), ignore (it sees only those that completed). Without children the job goes on at once.
-- p_returns says what the stage gets as its output when all children have ended. The job waits for that in this stage, which may be the
-- last one: branches (each child has a "branch", a name of its own, and the output is an object with the results by these names) or child
-- (the result of the only child). Such a child may have an "onFailure" of its own. A branch without a payload gets that of the parent; one
-- whose pipeline is a branch of the parent's finds the parent's outputs among its own, each as PIPELINE/STAGE.
-- p_more means that another call in the same transaction adds more children.
-- Answers applied, already_applied or lease_lost.
create or replace function lockstep.fan_out_job(
  p_id uuid,
  p_claim_token uuid,
  p_children jsonb,
  p_on_failure text default 'fail',
  p_output jsonb default null,
  p_log jsonb default null,
  p_more boolean default false,
  p_returns text default null,
  p_now timestamptz default clock_timestamp()
)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
  v_end constant jsonb := jsonb_build_object('value', p_output, 'log', p_log);
  v_batch record;
  v_children jsonb := p_children;
  v_refused text;
  v_ids uuid[];
  v_answer text;
begin
  select j.stage_id, j.pipeline_id, j.owner, j.priority, j.trace, j.cancel_requested_at,
    s.name as stage, s.next_stage_id, p.name as pipeline
  into v_job
  from lockstep.jobs j
  join lockstep.stages s on s.id = j.stage_id
  join lockstep.pipelines p on p.id = j.pipeline_id
  where j.id = p_id and j.claim_token = p_claim_token
  for update of j;
  if not found or v_job.cancel_requested_at is not null then
    -- it was settled before, is lost, or is cancelled by this call; a release that is cancelled cannot complete a job in its last stage
    return lockstep.settle_job(
      p_id, p_claim_token, v_end || case when p_returns is null then '{}' else '{"outcome": "release"}' end::jsonb, p_now
    );
  end if;

  if coalesce(jsonb_typeof(p_children), 'null') <> 'array' then
    raise exception 'fan_out_job needs a JSON array of children, not %.', coalesce(jsonb_typeof(p_children), 'null')
      using errcode = 'LS001';
  elsif p_on_failure is null or p_on_failure not in ('fail', 'continue', 'ignore') then
    raise exception 'p_on_failure must be fail, continue or ignore, not %.', coalesce(p_on_failure, 'null')
      using errcode = 'LS001';
  elsif octet_length(p_output::text) > 1048576 then
    raise exception 'The output of job % has % bytes, but the limit is 1048576 (1 MiB).', p_id, octet_length(p_output::text)
      using errcode = 'LS001', hint = 'Store large results elsewhere and return a reference to them.';
  elsif p_returns is not null and p_returns not in ('branches', 'child') then
    raise exception 'p_returns must be branches or child, or null, not %.', p_returns using errcode = 'LS001';
  elsif p_returns is not null and exists (select from jsonb_array_elements(p_children) c where jsonb_typeof(c) <> 'object') then
    raise exception 'A child of job % cannot be added: it must be a JSON object.', p_id using errcode = 'LS001';
  elsif p_returns is not null and jsonb_array_length(p_children) = 0 then
    raise exception 'Job % cannot wait for what its children return: there are none.', p_id using errcode = 'LS001';
  elsif p_returns is null and v_job.next_stage_id is null then
    raise exception 'Job % cannot fan out in stage "%", the last of pipeline "%": nothing would wait for its children.',
      p_id, v_job.stage, v_job.pipeline
      using errcode = 'LS003', hint = 'Add a stage after it to the pipeline.';
  end if;

  select b.id, b.added_at, b.total into v_batch
  from lockstep.batches b
  where b.waiting_job_id = p_id and b.fan_out_token = p_claim_token;
  if not found and jsonb_array_length(p_children) > 0 then
    insert into lockstep.batches (id, added_at, waiting_job_id, fan_out_stage_id, fan_out_token, on_failure, returns, branches)
    values (
      lockstep.new_job_id(p_now), p_now, p_id, v_job.stage_id, p_claim_token, p_on_failure,
      p_returns, case when p_returns is not null then '[]'::jsonb end
    )
    returning id, added_at, total into v_batch;
  end if;

  if jsonb_array_length(p_children) > 0 then
    select format('a child cannot have "%s"', k.name) into v_refused
    from jsonb_array_elements(p_children) c
    cross join unnest(array['id', 'dedupKey', 'dedup', 'batchId']) as k (name)
    where c ->> k.name is not null
    limit 1;
    if v_refused is not null then
      raise exception 'A child of job % cannot be added: %.', p_id, v_refused using errcode = 'LS001';
    end if;

    -- Ids in the order given, after those of an earlier call, since children_of returns the children in the order of their ids.
    v_ids := array(
      select lockstep.new_job_id(v_batch.added_at + make_interval(secs => v_batch.total / 1000.0)) as id
      from generate_series(1, jsonb_array_length(p_children))
      order by id
    );
    if p_returns is not null then
      perform lockstep.note_branches(v_batch.id, p_children, v_ids, p_on_failure);
      v_children := (
        select jsonb_agg(
          case when p_returns = 'branches' and not c.child ? 'payload' then jsonb_build_object('payload', j.payload) else '{}' end
          || (c.child - 'branch' - 'onFailure')
          order by c.ordinality
        )
        from jsonb_array_elements(p_children) with ordinality as c (child, ordinality)
        join lockstep.jobs j on j.id = p_id
      );
    end if;
    perform lockstep.add_new_jobs(
      (
        select jsonb_agg(
          jsonb_build_object('owner', v_job.owner, 'priority', v_job.priority, 'trace', v_job.trace)
          || c.child || jsonb_build_object('id', v_ids[c.ordinality], 'batchId', v_batch.id)
          order by c.ordinality
        )
        from jsonb_array_elements(v_children) with ordinality as c (child, ordinality)
      ),
      p_now => p_now
    );
    if p_returns = 'branches' then
      update lockstep.jobs c
      set outputs = (
        select jsonb_object_agg(v_job.pipeline || '/' || o.key, o.value)
        from lockstep.jobs parent
        cross join jsonb_each(parent.outputs) o
        where parent.id = p_id
      )
      where c.id = any (v_ids)
        and c.pipeline_id in (select p.id from lockstep.pipelines p where p.branch_of = v_job.pipeline_id);
    end if;
  end if;
  if p_more then
    return 'applied';
  end if;

  if p_returns is not null then
    perform lockstep.begin_waiting(p_id, v_batch.id, p_log, p_now);
    return 'applied';
  end if;
  if v_batch.id is not null then
    -- Before it moves: if it comes to a wait, that does not begin before the children have ended. Whether it does is for the settle to say,
    -- since the pipeline may have been defined anew while this call waited for the job.
    update lockstep.jobs j set waits_for = v_batch.id where j.id = p_id;
  end if;
  v_answer := lockstep.settle_job(p_id, p_claim_token, v_end, p_now);
  if v_batch.id is null or v_answer <> 'applied' then
    return v_answer;
  end if;
  update lockstep.batches b set closed_at = p_now where b.id = v_batch.id;
  with arrived as materialized (
    select j.id, j.stage_id, j.status from lockstep.jobs j where j.id = p_id
  ),
  waiting as (
    update lockstep.jobs j set status = 'scheduled', position = null from arrived a where lockstep.is_same_id(j.id, a.id)
  )
  insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs)
  select p_now, a.stage_id, 'pending', 'scheduled', 1 from arrived a where a.status = 'pending';
  return v_answer;
end;
$$;
