-- What is wrong with the dedup of an add, as the end of a sentence; null if nothing is.
create or replace function lockstep.dedup_refusal(p_dedup jsonb, p_dedup_key text, p_scheduled_for timestamptz)
returns text
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  select case
    when jsonb_typeof(p_dedup) <> 'object'
      or not array(select jsonb_object_keys(p_dedup) order by 1)
        in (array['forMs'], array['throttleMs'], array['debounceMs'], array['atMostMs', 'debounceMs'])
      then format(
        'its dedup is %s, but must be {"forMs"}, {"throttleMs"}, {"debounceMs"} or {"debounceMs", "atMostMs"}', left(p_dedup::text, 200)
      )
    when p_dedup_key is null
      then 'it has a dedup, but no dedup key'
    when exists (
      select from jsonb_each(p_dedup) d
      where case when jsonb_typeof(d.value) = 'number'
        then d.value::numeric not between 1 and 31536000000 or d.value::numeric % 1 <> 0
        else true end
    )
      then format('its dedup is %s, but must have whole milliseconds from 1 to 31536000000 (365 days)', left(p_dedup::text, 200))
    when (p_dedup ->> 'atMostMs')::numeric < (p_dedup ->> 'debounceMs')::numeric
      then 'its atMostMs is less than its debounceMs'
    when p_dedup ? 'debounceMs' and p_scheduled_for is not null
      then 'it has both debounceMs and scheduledFor, but debounceMs sets the time'
  end;
$$;
