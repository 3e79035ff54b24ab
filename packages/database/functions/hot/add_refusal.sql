-- Why a job cannot be added, as the end of a sentence; null if it can. These are all the rules for an add except those of its
-- pipeline. given_jobs calls it for every job, refuse_unfit_jobs to say why one was refused. Plain SQL without settings, so that
-- PostgreSQL inlines it: a valid job costs only the comparisons.
create or replace function lockstep.add_refusal(
  p_payload jsonb,
  p_priority integer,
  p_scheduled_for timestamptz,
  p_start_by timestamptz,
  p_owner text,
  p_group_key text,
  p_tags text[],
  p_trace text,
  p_dedup_key text,
  p_dedup jsonb,
  p_now timestamptz
)
returns text
language sql
stable
as $$
  select case
    when p_priority not between 1 and 20
      then format('the priority is %s, but must be from 1 to 20', p_priority)
    when not lockstep.payload_fits(p_payload)
      then format('the payload has %s bytes, but the limit is 262144 (256 KiB)', octet_length(p_payload::text))
    when p_scheduled_for > p_now + interval '5 years'
      then format('it is scheduled for %s, but the limit is 5 years from now', p_scheduled_for)
    when octet_length(p_dedup_key) not between 1 and 255
      then format('the dedup key has %s bytes, but must have 1 to 255', octet_length(p_dedup_key))
    when octet_length(p_owner) not between 1 and 255
      then format('the owner has %s bytes, but must have 1 to 255', octet_length(p_owner))
    when octet_length(p_group_key) not between 1 and 255
      then format('the group key has %s bytes, but must have 1 to 255', octet_length(p_group_key))
    when p_start_by <= p_now
      then format('it must start by %s, which is in the past', p_start_by)
    when p_dedup is not null and lockstep.dedup_refusal(p_dedup, p_dedup_key, p_scheduled_for) is not null
      then lockstep.dedup_refusal(p_dedup, p_dedup_key, p_scheduled_for)
    when p_start_by <= coalesce(p_scheduled_for, p_now + lockstep.ms_interval(p_dedup -> 'debounceMs'))
      then format('it must start by %s, but is not due before then', p_start_by)
    when octet_length(p_trace) > 255
      then format('the trace has %s bytes, but the limit is 255', octet_length(p_trace))
    when cardinality(p_tags) > 20
      then format('it has %s tags, but the limit is 20', cardinality(p_tags))
  end;
$$;
