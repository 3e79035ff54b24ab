-- The filter of a bulk action. If it names no status, the statuses are those that the action makes sense for. Raises an error for an action
-- that is not possible, or that would affect every job.
create or replace function lockstep.bulk_filter(
  p_action text,
  p_filter jsonb,
  p_ids uuid[],
  p_from_stage text
)
returns jsonb
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_filter jsonb := coalesce(p_filter, '{}');
begin
  if p_action is null or p_action not in ('cancel', 'retry') then
    raise exception 'The bulk action is "%", but must be cancel or retry.', p_action using errcode = 'LS001';
  end if;
  if p_from_stage is not null and p_action <> 'retry' then
    raise exception 'p_from_stage is only for a retry.' using errcode = 'LS001', hint = 'Leave p_from_stage out.';
  end if;
  perform lockstep.refuse_unfit_filter(v_filter);
  if p_ids is not null then
    if cardinality(p_ids) not between 1 and 10000 or array_position(p_ids, null) is not null then
      raise exception 'A bulk action takes 1 to 10,000 ids.' using errcode = 'LS001', hint = 'For more jobs, use a filter.';
    end if;
    if v_filter ? 'ids' then
      raise exception 'The ids of a bulk action are given both in p_ids and in the filter.' using errcode = 'LS001';
    end if;
    return v_filter;
  end if;
  if v_filter = '{}' then
    raise exception 'A bulk action without a filter would affect every job.'
      using errcode = 'LS001', hint = 'Say which jobs you mean. A filter that names all statuses means every job.';
  end if;

  if not v_filter ? 'statuses' then
    v_filter := v_filter || case p_action
      when 'cancel' then '{"statuses": ["scheduled", "pending", "processing", "retrying"]}'::jsonb
      else '{"statuses": ["failed"]}'
    end;
  end if;
  return v_filter;
end;
$$;
