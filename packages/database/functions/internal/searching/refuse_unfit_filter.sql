-- Raises an error for a filter that has an unknown name, or a value of the wrong type.
create or replace function lockstep.refuse_unfit_filter(p_filter jsonb)
returns void
language plpgsql
immutable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_kinds constant jsonb := '{
    "statuses": "array", "pipeline": "string", "stage": "string", "owner": "string", "groupKey": "string",
    "dedupKey": "string", "tag": "string", "workerId": "string", "batchId": "string", "error": "string",
    "addedAfter": "string", "addedBefore": "string", "payload": "object", "ids": "array"
  }';
  v_unfit record;
begin
  if jsonb_typeof(p_filter) is distinct from 'object' then
    raise exception 'A filter of jobs must be a JSON object, such as {"statuses": ["failed"]}.' using errcode = 'LS001';
  end if;
  select f.key, jsonb_typeof(f.value) as found, v_kinds ->> f.key as wanted into v_unfit
  from jsonb_each(p_filter) f
  where jsonb_typeof(f.value) is distinct from v_kinds ->> f.key
  limit 1;
  if v_unfit.wanted is not null then
    raise exception '"%" in a filter of jobs must be a JSON %, not a %.', v_unfit.key, v_unfit.wanted, v_unfit.found
      using errcode = 'LS001';
  elsif v_unfit.key is not null then
    raise exception 'A filter of jobs cannot have "%".', v_unfit.key
      using errcode = 'LS001',
            hint = format('It can have %s.', (select string_agg(k.name, ', ' order by k.name) from jsonb_object_keys(v_kinds) as k (name)));
  end if;
  if jsonb_array_length(p_filter -> 'ids') > 1000 then
    raise exception 'A filter of jobs takes at most 1,000 ids.' using errcode = 'LS001';
  end if;
end;
$$;
