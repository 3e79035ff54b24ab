-- What each role may call. Tables are nobody's: functions run as their owner and are the whole API.
-- Run at each migrate, since a re-created function has lost its grants. Roles that do not exist are passed over.
do $$
declare
  v_grants constant jsonb := '{
    "lockstep_viewer": ["list_jobs", "queue_stats", "active_workers", "explain_job", "schema_version",
      "list_schedules", "read_stage_history", "read_stage_totals", "read_stage_waits"],
    "lockstep_producer": ["add_job", "add_jobs", "cancel_job", "get_job", "finished_results", "list_jobs",
      "explain_job", "queue_stats", "schema_version", "define_pipeline", "job_effects",
      "set_schedule", "pause_schedule", "resume_schedule", "remove_schedule", "list_schedules",
      "read_events"],
    "lockstep_operator": ["list_jobs", "queue_stats", "active_workers", "explain_job", "schema_version", "get_job",
      "finished_results", "cancel_job", "retry_job", "pause_stage", "resume_stage", "reset_stalled_jobs", "verify",
      "job_effects", "forget_effects", "confirm_effect", "live_jobs", "pause_schedule", "resume_schedule", "remove_schedule",
      "list_schedules",
      "read_stage_history", "read_stage_totals", "read_stage_waits", "read_events"],
    "lockstep_worker": ["add_job", "add_jobs", "cancel_job", "get_job", "finished_results", "list_jobs", "explain_job",
      "queue_stats", "active_workers", "schema_version", "define_pipeline", "register_worker", "heartbeat",
      "wait_for_jobs", "deregister_worker", "cancel_requests", "claim_jobs", "settle_and_claim", "complete_job", "fail_job",
      "complete_held_job", "assert_lease", "claim_state",
      "snooze_job", "release_job", "report_progress", "report_progress_of_jobs", "sweep_lost_workers",
      "reset_stalled_jobs", "fold_counters", "delete_finished_jobs", "retry_job", "pause_stage", "resume_stage",
      "verify", "begin_effect", "finish_effect", "fail_effect", "job_effects", "forget_effects", "confirm_effect",
      "delete_effects", "live_jobs", "set_schedule", "pause_schedule", "resume_schedule", "remove_schedule", "list_schedules",
      "due_schedules", "fire_schedule", "note_schedule_problem",
      "read_stage_history", "read_stage_totals", "read_stage_waits", "read_events"]
      "read_stage_history", "read_stage_totals", "read_stage_waits", "delete_recent_keys"]
  }';
  v_role text;
  v_function text;
begin
  revoke all on schema lockstep from public;
  revoke all on all tables in schema lockstep from public;
  revoke all on all sequences in schema lockstep from public;
  revoke all on all functions in schema lockstep from public;

  for v_role in select jsonb_object_keys(v_grants) loop
    continue when not exists (select from pg_roles where rolname = v_role);
    execute format('grant usage on schema lockstep to %I', v_role);
    -- what an earlier release granted and this one does not
    execute format('revoke all on all functions in schema lockstep from %I', v_role);
    for v_function in select jsonb_array_elements_text(v_grants -> v_role) loop
      execute format('grant execute on function lockstep.%I to %I', v_function, v_role);
    end loop;
  end loop;
end;
$$;
