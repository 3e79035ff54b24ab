-- Stops a bulk action; what it has done stays. Answers aborted, already_finished or not_found.
create or replace function lockstep.abort_bulk_action(p_id uuid, p_now timestamptz default clock_timestamp())
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update lockstep.bulk_actions b
  set status = 'aborted', finished_at = p_now
  where b.id = p_id and b.status = 'running';
  if found then
    return 'aborted';
  end if;
  return case when exists (select from lockstep.bulk_actions b where b.id = p_id) then 'already_finished' else 'not_found' end;
end;
$$;
