// Tables of pg-boss without their schema: the connection says which it is.
// A held job has its own values in `output`. It is "blocked", which every fetch leaves alone, also one that ignores start_after;
// and it is kept until it is taken over, since a job that waits longer than its retention is deleted there.

export const readVersion = "select version::text from version";

export const countJobs = `
  select q.name,
    count(*) filter (where j.is_open and j.state = 'created' and j.start_after <= now())::int as waiting,
    count(*) filter (where j.is_open and j.state = 'created' and j.start_after > now())::int as scheduled,
    count(*) filter (where j.is_open and j.state = 'retry')::int as retrying,
    count(*) filter (where j.state = 'active')::int as running,
    count(*) filter (where j.state < 'active' and not j.is_open and not j.is_held)::int as bound,
    count(*) filter (where j.is_held)::int as held
  from queue q
  left join (
    select name, state, start_after, state < 'active' and not blocked and not blocking as is_open,
      state < 'active' and output -> 'lockstepImport' is not null as is_held
    from job
    where state <= 'active'
  ) j on j.name = q.name
  where q.name not like '\\_\\_pgboss\\_\\_%'
  group by q.name
  order by q.name`;

export const lookAtJobs = `
  select id, created_on, created_on::text as created_text, data, priority, singleton_key, group_id, policy,
    coalesce((output #>> '{lockstepImport,startAfter}')::timestamptz, start_after) as due,
    coalesce((output #>> '{lockstepImport,startAfter}')::timestamptz, start_after) > now() as is_later
  from job
  where name = $1
    and state < 'active'
    and not blocking
    and (not blocked or output -> 'lockstepImport' is not null)
    and (created_on, id) > ($2::timestamptz, $3::uuid)
  order by created_on, id
  limit $4`;

export const takeJobs = `
  with picked as (
    select name, id, created_on, created_on::text as created_text, data, priority, singleton_key, group_id, policy,
      coalesce((output #>> '{lockstepImport,startAfter}')::timestamptz, start_after) as due,
      coalesce((output #>> '{lockstepImport,startAfter}')::timestamptz, start_after) > now() as is_later
    from job
    where name = $1
      and state < 'active'
      and not blocking
      and (not blocked or output -> 'lockstepImport' is not null)
      and (created_on, id) > ($2::timestamptz, $3::uuid)
    order by created_on, id
    limit $4
    for update skip locked
  ),
  held as (
    update job j
    set
      output = case
        when j.output -> 'lockstepImport' is not null then j.output
        else jsonb_build_object('lockstepImport', jsonb_build_object(
          'startAfter', j.start_after, 'keepUntil', j.keep_until, 'output', j.output
        ))
      end,
      blocked = true,
      start_after = 'infinity',
      keep_until = 'infinity'
    from picked p
    where j.name = p.name and j.id = p.id
    returning j.id
  )
  select p.*
  from picked p
  join held h on h.id = p.id
  order by p.created_on, p.id`;

export const removeJobs = `
  delete from job
  where name = $1 and id = any ($2::uuid[]) and state < 'active' and output -> 'lockstepImport' is not null
  returning id`;

/** In the place of removeJobs: there they are, and nothing runs them. */
export const cancelJobs = `
  update job
  set
    state = 'cancelled',
    completed_on = now(),
    blocked = false,
    start_after = (output #>> '{lockstepImport,startAfter}')::timestamptz,
    keep_until = (output #>> '{lockstepImport,keepUntil}')::timestamptz,
    output = jsonb_build_object('takenOverBy', 'lockstep')
  where name = $1 and id = any ($2::uuid[]) and state < 'active' and output -> 'lockstepImport' is not null
  returning id`;

export const giveJobsBack = `
  update job
  set
    blocked = false,
    start_after = (output #>> '{lockstepImport,startAfter}')::timestamptz,
    keep_until = (output #>> '{lockstepImport,keepUntil}')::timestamptz,
    output = nullif(output #> '{lockstepImport,output}', 'null')
  where name = $1 and id = any ($2::uuid[]) and state < 'active' and output -> 'lockstepImport' is not null`;

export const listSchedules = `
  select name, key, kind, cron, timezone, data, options from schedule
  where name not like '\\_\\_pgboss\\_\\_%'
  order by name, key`;

export const removeSchedule = "delete from schedule where name = $1 and key = $2";
