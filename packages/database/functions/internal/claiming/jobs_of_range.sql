-- The jobs that a call claimed from one lane and that its worker still holds, if they are not listed as held yet.
-- Plain SQL without settings, so that PostgreSQL inlines it; with "offset 0", so that a join with it begins with the range.
create or replace function lockstep.jobs_of_range(p_range lockstep.claimed_ranges)
returns setof lockstep.jobs
language sql
stable
as $$
  select j.*
  from lockstep.jobs j
  where j.stage_id = p_range.stage_id
    and j.priority = p_range.priority
    and j.held_by is null
    and not j.suspect
    and j.group_key is null
    and j.position between p_range.first_position and p_range.last_position
    and j.claim_token = p_range.claim_token
  offset 0;
$$;
