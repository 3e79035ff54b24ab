// Tables of graphile-worker without their schema: the connection says which it is.
// A held job is locked by a worker of this name for ever: locks there are forgotten after four hours, counted from locked_at.
// If its key is added again or removed meanwhile, it gets no further attempts there, and is not taken over: the newer job is.

export const readVersion = "select max(id)::text as version from migrations";

export const countJobs = `
  select t.identifier as name,
    count(*) filter (where j.is_available and j.attempts = 0 and j.run_at <= now())::int as waiting,
    count(*) filter (where j.is_available and j.attempts = 0 and j.run_at > now())::int as scheduled,
    count(*) filter (where j.is_available and j.attempts > 0)::int as retrying,
    count(*) filter (where j.locked_at is not null and j.locked_by is distinct from 'lockstep-import')::int as running,
    0 as bound,
    count(*) filter (where j.locked_by = 'lockstep-import' and j.attempts < j.max_attempts)::int as held
  from _private_tasks t
  left join _private_jobs j on j.task_id = t.id
  group by t.identifier
  order by t.identifier`;

export const lookAtJobs = `
  select j.id::text, j.created_at, j.payload, j.priority, j.run_at,
    j.run_at > now() as is_later, j.key, q.queue_name
  from _private_jobs j
  left join _private_job_queues q on q.id = j.job_queue_id
  where j.task_id = (select t.id from _private_tasks t where t.identifier = $1)
    and (j.is_available or j.locked_by = 'lockstep-import' and j.attempts < j.max_attempts)
    and j.id > $2::bigint
  order by j.id
  limit $3`;

export const takeJobs = `
  with picked as (
    select id from _private_jobs
    where task_id = (select t.id from _private_tasks t where t.identifier = $1)
      and (is_available or locked_by = 'lockstep-import' and attempts < max_attempts)
      and id > $2::bigint
    order by id
    limit $3
    for update skip locked
  ),
  held as (
    update _private_jobs j
    set locked_by = 'lockstep-import', locked_at = 'infinity'
    from picked p
    where j.id = p.id
    returning j.*
  )
  select h.id::text, h.created_at, h.payload, h.priority, h.run_at,
    h.run_at > now() as is_later, h.key, q.queue_name
  from held h
  left join _private_job_queues q on q.id = h.job_queue_id
  order by h.id`;

// The first argument is the task, as for every source; the ids say enough.
export const removeJobs = `
  delete from _private_jobs
  where $1::text is not null and id = any ($2::bigint[]) and locked_by = 'lockstep-import'
  returning id::text`;

/** In the place of removeJobs: failed for good, and without the key, which is free again. */
export const failJobs = `
  update _private_jobs
  set
    locked_by = null,
    locked_at = null,
    key = null,
    attempts = max_attempts,
    last_error = 'taken over by Lockstep',
    updated_at = now()
  where $1::text is not null and id = any ($2::bigint[]) and locked_by = 'lockstep-import'
  returning id::text`;

export const giveJobsBack = `
  update _private_jobs
  set locked_by = null, locked_at = null
  where $1::text is not null and id = any ($2::bigint[]) and locked_by = 'lockstep-import'`;

export const listCrontabs = "select identifier from _private_known_crontabs order by identifier";
