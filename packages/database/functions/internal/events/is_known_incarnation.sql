-- Whether a cursor's incarnation (p_id) is the current one or an earlier one that the server has not lost. True for null: no cursor.
create or replace function lockstep.is_known_incarnation(p_id uuid, p_current uuid)
returns boolean
language sql
stable
as $$
  select p_id is null
    or p_id = p_current
    or exists (select from lockstep.known_incarnations i where i.id = p_id);
$$;
