-- Which role may call which function. No role may use the tables: functions run as their owner and are the whole API. Runs whenever migrate
-- applies the functions, since a function that is created again has lost its grants. Roles that do not exist are skipped.
do $$
declare
  v_grants constant jsonb := '{
    "abort_bulk_action": "operator worker",
    "active_workers": "viewer operator worker",
    "add_job": "producer worker",
    "add_jobs": "producer worker",
    "add_jobs_of_pipeline": "producer worker",
    "add_new_jobs": "producer worker",
    "applied_digest": "viewer producer operator worker",
    "assert_lease": "worker",
    "batch_results": "producer operator worker",
    "begin_effect": "worker",
    "branches_of": "viewer producer operator worker",
    "cancel_job": "producer operator worker",
    "cancel_requests": "worker",
    "children_of": "worker",
    "claim_idempotency_key": "producer operator worker",
    "claim_jobs": "worker",
    "claim_state": "worker",
    "close_batch": "producer worker",
    "complete_held_job": "worker",
    "complete_job": "worker",
    "confirm_effect": "operator worker",
    "continue_stream": "worker",
    "count_jobs": "producer operator worker",
    "count_waits": "producer operator worker",
    "define_pipeline": "producer worker",
    "define_pipelines": "producer worker",
    "delete_budget_usage": "worker",
    "delete_effects": "worker",
    "delete_finished_jobs": "worker",
    "delete_old_actions": "worker",
    "delete_recent_keys": "worker",
    "delete_signals": "worker",
    "deregister_worker": "worker",
    "describe_pipelines": "viewer producer operator worker",
    "diagnose": "operator worker",
    "do_upkeep": "worker",
    "drop_old_table": "worker",
    "due_schedules": "worker",
    "end_due_waits": "worker",
    "explain_job": "viewer producer operator worker",
    "fail_effect": "worker",
    "fail_held_job": "worker",
    "fail_job": "worker",
    "fan_out_job": "worker",
    "finish_effect": "worker",
    "finish_job": "worker",
    "finished_results": "producer operator worker",
    "fire_schedule": "worker",
    "fold_counters": "worker",
    "fork_job": "operator worker",
    "forget_effects": "operator worker",
    "get_batch": "viewer producer operator worker",
    "get_bulk_action": "operator worker",
    "get_job": "producer operator worker",
    "has_signal": "producer operator worker",
    "heartbeat": "worker",
    "job_effects": "producer operator worker",
    "job_streams": "producer operator worker",
    "keep_answer": "producer operator worker",
    "list_actions": "operator worker",
    "job_rows": "viewer producer operator worker",
    "list_errors": "viewer producer operator worker",
    "list_bulk_actions": "operator worker",
    "list_jobs": "viewer producer operator worker",
    "list_schedules": "viewer producer operator worker",
    "list_waits": "producer operator worker",
    "live_jobs": "operator worker",
    "note_schedule_problem": "worker",
    "open_batch": "producer worker",
    "pass_on_wake_up": "worker",
    "pause_schedule": "producer operator worker",
    "pause_stage": "operator worker",
    "present_claims": "worker",
    "preview_bulk_action": "operator worker",
    "queue_stats": "viewer producer operator worker",
    "read_budget_usage": "viewer producer operator worker",
    "read_budget_totals": "viewer producer operator worker",
    "read_budgets": "viewer producer operator worker",
    "read_database_health": "viewer operator worker",
    "read_ended_waits": "producer operator worker",
    "read_error_history": "viewer producer operator worker",
    "read_events": "producer operator worker",
    "read_recovered_jobs": "viewer operator worker",
    "read_retention": "viewer operator worker",
    "read_stage_history": "viewer operator worker",
    "read_stage_totals": "viewer operator worker",
    "read_stage_waits": "viewer operator worker",
    "read_streams": "producer operator worker",
    "recognize_pipelines": "producer worker",
    "record_action": "producer operator worker",
    "register_worker": "worker",
    "release_job": "worker",
    "remove_schedule": "producer operator worker",
    "renew_leases": "worker",
    "report_progress": "worker",
    "report_progress_of_jobs": "worker",
    "reserve_budgets": "worker",
    "reset_stalled_jobs": "operator worker",
    "resume_schedule": "producer operator worker",
    "resume_stage": "operator worker",
    "retry_job": "operator worker",
    "oldest_code_version": "viewer producer operator worker",
    "schema_version": "viewer producer operator worker",
    "search_jobs": "producer operator worker",
    "set_budget_limit": "operator worker",
    "set_schedule": "producer worker",
    "set_signal_key": "worker",
    "shown_hash": "producer operator worker",
    "signal_job": "producer operator worker",
    "signal_job_by_key": "producer operator worker",
    "settle_and_claim": "worker",
    "skip_job": "worker",
    "snooze_job": "worker",
    "spend_budgets": "worker",
    "start_bulk_action": "operator worker",
    "step_bulk_action": "operator worker",
    "sweep_lost_workers": "worker",
    "unknown_jobs": "producer operator worker",
    "verify": "operator worker",
    "wait_for_jobs": "worker",
    "write_streams": "worker"
  }';
  v_role text;
  v_table text;
  v_function text;
begin
  revoke all on schema lockstep from public;
  -- Only tables that have such a grant: a revoke writes to the catalogue, and every session would plan its statements on the table again.
  for v_table in
    select c.relname
    from pg_class c
    cross join aclexplode(c.relacl) a
    where c.relnamespace = 'lockstep'::regnamespace and c.relkind in ('r', 'p', 'S') and a.grantee = 0
  loop
    execute format('revoke all on lockstep.%I from public', v_table);
  end loop;
  revoke all on all functions in schema lockstep from public;

  foreach v_role in array array['viewer', 'producer', 'operator', 'worker'] loop
    continue when not exists (select from pg_roles where rolname = 'lockstep_' || v_role);
    execute format('grant usage on schema lockstep to %I', 'lockstep_' || v_role);
    -- an earlier release may have granted more
    execute format('revoke all on all functions in schema lockstep from %I', 'lockstep_' || v_role);
    for v_function in
      select g.key from jsonb_each_text(v_grants) g where v_role = any (string_to_array(g.value, ' '))
    loop
      execute format('grant execute on function lockstep.%I to %I', v_function, 'lockstep_' || v_role);
    end loop;
  end loop;
end;
$$;
