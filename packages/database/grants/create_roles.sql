-- The four roles, which cannot log in: grant them to the users of your applications.
--   grant lockstep_producer to my_web_app;
--   grant lockstep_worker to my_worker;
-- Roles belong to the whole server and need CREATEROLE. If the user does not have it, no role is created, and migrate says so.
do $$
declare
  v_role text;
begin
  if not (select r.rolsuper or r.rolcreaterole from pg_roles r where r.rolname = current_user) then
    return;
  end if;
  foreach v_role in array array['lockstep_viewer', 'lockstep_producer', 'lockstep_operator', 'lockstep_worker'] loop
    begin
      execute format('create role %I nologin', v_role);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end;
$$;
