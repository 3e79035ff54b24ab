import { recordEvents, testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { expect, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { finishErrand, storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { errand } = storyPipelines();

/** A job in a transaction that stays open. */
async function addInTransaction(pipeline: string, payload: unknown) {
  const transaction = await db.connect();
  await transaction.query("begin");
  const { rows } = await transaction.query<{ id: string }>("select id from lockstep.add_job($1, $2)", [
    pipeline,
    JSON.stringify(payload),
  ]);
  return { id: rows[0]?.id, commit: () => transaction.query("commit") };
}

test("a job whose transaction commits after the worker went to sleep is found without a poll", async () => {
  // So seldom that a poll cannot be what finds it.
  const engine = storyEngine(db, { pipelines: [errand], pollIntervalMs: 600_000 });
  const events = recordEvents(engine);
  await engine.start();
  const { id } = await engine.add(errand, { do: "wait" });
  await events.next("job.started");
  const late = await addInTransaction("errand", { do: "answer" });
  finishErrand(id);
  await events.next("job.completed");
  await until("the worker has stopped looking", async () => {
    const [row] = await db.query<{ sleeps: boolean }>(
      `select max(a.query_start) < clock_timestamp() - interval '1 second' and count(w.id) > 0 as sleeps
       from pg_stat_activity a
       left join lockstep.workers w on cardinality(w.waiting_stage_ids) > 0
       where a.datname = current_database() and a.application_name = 'lockstep engine'`,
    );
    return row?.sleeps === true;
  });

  await late.commit();
  await events.next("job.started", ({ jobId }) => jobId === late.id);
  await events.next("job.completed", ({ jobId }) => jobId === late.id);
});

test("a job whose transaction commits late does not wait for the backlog that was committed before it", async () => {
  const steady = definePipeline("steady").stage(
    "run",
    () => new Promise((resolve) => setTimeout(resolve, 20)),
  );
  const engine = storyEngine(db, { pipelines: [steady] });
  await engine.addMany(steady, [{ payload: "the pipeline is known from here on" }]);
  const late = await addInTransaction("steady", null);
  await engine.addMany(
    steady,
    Array.from({ length: 3_000 }, () => ({ payload: null })),
  );
  let completed = 0;
  engine.on("job.completed", () => {
    completed += 1;
  });
  const lateStart = new Promise<number>((resolve) => {
    engine.on("job.started", ({ jobId }) => {
      if (jobId === late.id) resolve(completed);
    });
  });
  await engine.start();
  // By then the worker has gone past the place in the line that the late job will have.
  await until("the worker is well into its backlog", async () => completed > 300);

  await late.commit();
  expect(await lateStart).toBeLessThan(2_500);
});
