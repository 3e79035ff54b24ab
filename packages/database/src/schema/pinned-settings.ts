/**
 * The settings of all our functions, whatever those of the server are.
 *
 * jit: settings such as enable_seqscan = off make a forced plan look very expensive. A server with JIT would therefore spend half a
 * second at each execution on compiling a statement that takes some microseconds. Large tables make other plans look expensive too.
 */
const everywhere = ["jit = off"];

const bySeek = ["enable_seqscan = off"];
const inOrder = [...bySeek, "enable_bitmapscan = off"];
const rowByRow = [...bySeek, "enable_hashjoin = off", "enable_mergejoin = off"];
const oncePlanned = ["plan_cache_mode = force_generic_plan"];
const asWritten = [
  ...rowByRow,
  "enable_bitmapscan = off",
  "enable_material = off",
  "random_page_cost = 0",
  ...oncePlanned,
];

/**
 * The plans that functions must use. The statistics of a queue are never right: its tables are empty at night and full at noon, and
 * PostgreSQL would plan for what it last saw. A helper that is not listed runs under the settings of its caller; on the hot path these are
 * complete_jobs, settle_with_care and pick_waiting_jobs.
 */
const pinnedPlans: readonly {
  readonly settings: readonly string[];
  readonly functions: readonly string[];
}[] = [
  // The hot path, and what reads the same lines of jobs: by index, row by row, in order, and planned once per connection.
  {
    settings: asWritten,
    functions: [
      ...["settle_and_claim", "settle_jobs", "finish_jobs", "promote_due_jobs", "pick_in_turns"],
      ...["list_as_held", "list_strays", "jobs_ahead"],
    ],
  },
  { settings: asWritten.filter((one) => !oncePlanned.includes(one)), functions: ["read_stage_waits"] },
  // Many rows by their ids, each by an index lookup.
  {
    settings: rowByRow,
    functions: [
      "sweep_lost_workers",
      "delete_budget_usage",
      "delete_effects",
      "delete_old_actions",
      "delete_recent_keys",
      "delete_signals",
    ],
  },
  // Rows that an index has in the right order. A bitmap scan would read all of them first.
  { settings: [...inOrder, ...rowByRow], functions: ["end_due_waits", "list_waits"] },
  { settings: inOrder, functions: ["expire_jobs", "list_actions", "read_recovered_jobs"] },
  {
    settings: [...inOrder, ...oncePlanned],
    functions: ["counted_jobs", "wake_for_waiting_jobs"],
  },
  {
    settings: [...inOrder, "enable_mergejoin = off", ...oncePlanned],
    functions: ["list_errors", "newest_failures"],
  },
  { settings: [...inOrder, ...rowByRow], functions: ["live_jobs"] },
  // Lists: every arm uses the index that has its order, and nothing is sorted.
  { settings: [...inOrder, "enable_sort = off"], functions: ["batch_results", "few_live_jobs"] },
  { settings: [...inOrder, ...rowByRow, "enable_sort = off"], functions: ["count_jobs", "find_jobs"] },
  // The rows of a list, each by its id, in the given order.
  {
    settings: [...inOrder, ...rowByRow, "enable_memoize = off", ...oncePlanned],
    functions: ["job_rows", "listed_jobs"],
  },
  // It orders by "id + 0", which no index has: otherwise the index by id would be scanned from its start, while another index finds the few rows at once.
  {
    settings: [...inOrder, ...rowByRow, "random_page_cost = 0", ...oncePlanned],
    functions: ["read_events"],
  },
  { settings: [...inOrder, ...rowByRow, ...oncePlanned], functions: ["read_streams"] },
  { settings: [...bySeek, ...oncePlanned], functions: ["continue_stream", "renew_leases", "write_streams"] },
  {
    settings: [...inOrder, ...rowByRow, ...oncePlanned],
    functions: ["reserve_budgets", "set_budget_limit", "spend_budgets"],
  },
  // Called all day with little to find: planning would be most of the cost.
  { settings: oncePlanned, functions: ["do_upkeep", "due_schedules"] },
  // A few rows by their keys.
  {
    settings: bySeek,
    functions: [
      ...[
        "begin_effect",
        "confirm_effect",
        "effect_answer",
        "fail_effect",
        "finish_effect",
        "forget_effects",
      ],
      ...["job_effects", "refuse_running_effects"],
      ...[
        "branches_of",
        "cancel_batch_jobs",
        "child_error",
        "children_of",
        "count_moves_of_batch",
        "end_batch",
        "end_fan_out",
        "fan_out_job",
      ],
      ...[
        "fork_job",
        "lock_batch_to_resume",
        "note_branches",
        "output_of_children",
        "resume_children",
        "take_results",
      ],
      ...[
        "cancel_requests",
        "claim_state",
        "apply_definition",
        "define_pipelines",
        "finish_waiting_jobs",
        "incarnation",
        "job_of_add",
      ],
      ...[
        "list_bulk_actions",
        "lock_gates",
        "log_claims",
        "present_claims",
        "replace_waiting_job",
        "settle_add",
      ],
      ...["status_of_job", "step_bulk_action"],
    ],
  },
];

const setClauses = (settings: readonly string[]) =>
  [...new Set(settings)].map((setting) => `set ${setting}`).join(" ");

/**
 * Sent after the functions, whose files have none of these settings. A function without any settings gets none: PostgreSQL inlines it
 * into its caller's statement, and would no longer do so.
 */
export const pinSettingsSql = `do $pin$
declare v_signature text;
begin
  for v_signature in
    select p.oid::regprocedure::text from pg_proc p
    where p.pronamespace = 'lockstep'::regnamespace and p.proconfig is not null
  loop
    execute 'alter function ' || v_signature || ' ${setClauses(everywhere)}';
  end loop;
end
$pin$;
${pinnedPlans
  .flatMap(({ settings, functions }) =>
    functions.map((name) => `alter function lockstep.${name} ${setClauses(settings)};`),
  )
  .join("\n")}`;
