-- The answer for each of these claims, which no longer hold their jobs: already_applied if the claim's holder ended the attempt itself,
-- otherwise lease_lost, with the status that the job has now.
create or replace function lockstep.answers_to_lost_claims(p_ids uuid[], p_tokens uuid[])
returns table (job_id uuid, answer text, status lockstep.job_status)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select r.id, r.answer, case when r.answer = 'lease_lost' then lockstep.status_of_job(r.id) end
  from (
    select
      g.id,
      case
        when exists (
          select from lockstep.jobs j
          where j.id = g.id and lockstep.was_settled(j.history, g.token)
        ) or exists (
          select from lockstep.finished_jobs f
          where f.pipeline_id = any (array(select p.id from lockstep.pipelines p)) and f.id = g.id
            and (
              f.claim_token = g.token and coalesce(f.last_outcome, '') not in ('lost', 'forced')
              or lockstep.was_settled(f.history, g.token)
            )
        ) then 'already_applied'
        else 'lease_lost'
      end as answer
    from unnest(p_ids, p_tokens) as g (id, token)
  ) r;
$$;
