-- Refuses an add with the id of a job of another pipeline or owner. The message says nothing about that job, not even whether it is live.
create or replace function lockstep.refuse_taken_id(p_id uuid)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'The job cannot be added: its id % is taken.', p_id
    using errcode = 'LS008', hint = 'Leave the id out, or use another one: an id belongs to one job, of one pipeline and owner.';
end;
$$;
