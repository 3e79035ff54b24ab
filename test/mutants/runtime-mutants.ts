import { functionFile, type Killer, type Mutant, type Replacement } from "./mutant.ts";

const engine = (file: string, from: string, to: string): Replacement => ({
  file: `packages/engine/src/${file}`,
  from,
  to,
});
const heartbeat = (from: string, to: string) => engine("store/connections/heartbeat-connection.js", from, to);
const scenario = (name: string, title: string): Killer => ({
  suite: "tests",
  file: `test/scenarios/${name}.test.ts`,
  title,
});

/** The faults that live in the worker. R7 and R8 stand for a worker that dies between two calls that should be one. */
export const runtimeMutants: readonly Mutant[] = [
  {
    name: "M20",
    change: "a lease is counted from the time that the worker's own clock tells",
    replacements: [
      heartbeat("p_upkeep_after => $4)", "p_upkeep_after => $4, p_now => $5)"),
      heartbeat("this.#upkeepAfter,\n", "this.#upkeepAfter,\n          new Date(),\n"),
    ],
    killer: scenario("workers/wrong-clocks", "keep their jobs while they live"),
  },
  {
    name: "R1",
    change: "the heartbeat stops at SIGTERM, before the drain",
    replacements: [
      engine(
        "worker/worker.ts",
        "    scheduler.stopClaiming();",
        "    void lease.stop();\n    scheduler.stopClaiming();",
      ),
    ],
    killer: scenario("workers/shutdown-loses-nothing", "on SIGTERM running jobs finish"),
  },
  {
    name: "R2",
    change: "the heartbeat goes only while the main thread does",
    replacements: [
      engine(
        "worker/lease/heartbeat-settings.ts",
        "const frozenAfterMs = 10_000;",
        "const frozenAfterMs = 300;",
      ),
      engine("worker/lease/worker-lease.ts", "this.#parts.longestTimeoutMs();", "0;"),
    ],
    killer: scenario("workers/busy-event-loop", "blocks the event loop for three leases"),
  },
  {
    name: "R3",
    change: "a claim is repeated after its reply was lost, and what the first one took is never given back",
    replacements: [
      engine(
        "worker/running/job-stopper.ts",
        "    if (unknown.length === 0) return;",
        "    if (unknown.length >= 0) return;",
      ),
    ],
    killer: scenario("database/lost-reply", "a claim whose reply is lost"),
  },
  {
    name: "R4",
    change: "the worker's id is made of the name of its host",
    replacements: [
      engine(
        "worker/lease/worker-membership.ts",
        "let workerId = newWorkerId();",
        'let workerId = "00000000-0000-4000-8000-000000000001";',
      ),
    ],
    killer: scenario("workers/worker-dies-mid-stage", "killed mid-stage"),
  },
  {
    name: "R5",
    change: "a statement has no limit on the client's side",
    replacements: [
      engine(
        "store/connections/own-pool.ts",
        "      query_timeout: statementTimeoutMs + clientPatienceMs,\n",
        "",
      ),
    ],
    killer: {
      suite: "tests",
      file: "packages/engine/src/store/connections/database.test.ts",
      title: "goes silent",
    },
  },
  {
    name: "R6",
    change: "handlers of a worker that was lost run on",
    replacements: [engine("worker/running/job-stopper.ts", 'pool.abortAll("lease_lost");', "")],
    killer: {
      suite: "tests",
      file: "packages/engine/src/worker/worker.test.ts",
      title: "a worker that was swept aborts",
    },
  },
  {
    name: "R7",
    change: "a job leaves the live ones in one call and would come among the finished ones in another",
    replacements: [
      {
        file: functionFile("complete_jobs.sql"),
        from: "outputs, value, payload, 'completed', p_now\n    from gone",
        to: "outputs, value, payload, 'completed', p_now\n    from gone where false",
      },
    ],
    killer: { suite: "model", seed: 1 },
  },
  {
    name: "R8",
    change: "the output of a stage would be written in another call than its end",
    replacements: [
      {
        file: functionFile("settle_with_care.sql"),
        from: `when h.outcome = 'done' then coalesce(j.outputs, '{}') || jsonb_build_object(h.stage, h.value)
          else j.outputs`,
        to: "when h.outcome = 'done' then j.outputs\n          else j.outputs",
      },
    ],
    killer: { suite: "model", seed: 1 },
  },
];
