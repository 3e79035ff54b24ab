-- The four roles, without login: grant them to the users of your applications.
--   grant lockstep_producer to my_web_app;
--   grant lockstep_worker to my_worker;
-- Roles belong to the whole server and need CREATEROLE, so this is a step of its own; run migrate afterwards.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['lockstep_viewer', 'lockstep_producer', 'lockstep_operator', 'lockstep_worker'] loop
    begin
      execute format('create role %I nologin', v_role);
    exception when duplicate_object or unique_violation then
      null;
    end;
  end loop;
end;
$$;
