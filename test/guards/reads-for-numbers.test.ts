import { createEngine, type Engine } from "lockstep";
import { expect, test } from "vitest";
import { type Cost, costOf } from "./cost-of.ts";
import { addBacklog, mixed } from "./mixed-work.ts";
import { quietDatabase } from "./quiet-database.ts";

const db = quietDatabase();

test.each(["new tables", "tables with statistics"])(
  "numbers of the queue, and one job's place in it, are told without going through the jobs (%s)",
  async (when) => {
    await db.query("truncate lockstep.jobs");
    await addBacklog(db, { inLine: 5_000, forTomorrow: 5_000 });
    const grouped = Array.from({ length: 4_000 }, (_, index) => ({
      pipeline: "mixed",
      groupKey: `tenant ${index % 20}`,
    }));
    const added = await db.call<{ id: string }>("add_jobs", { p_jobs: grouped });
    if (when === "tables with statistics") await db.query("analyze lockstep.jobs");

    const metrics = await costOfAsking((engine) => engine.metrics());
    expect(metrics.jobs.sequentialScans).toBe(0);
    // One entry for each lane, or group in it, that has jobs.
    expect(metrics.jobs.indexEntries).toBeLessThanOrEqual(100);

    // 20 groups take turns: some 20 are claimed before the second of one.
    const second = await costOfAsking((engine) => engine.explain(String(added[20]?.id)));
    expect(second.jobs.sequentialScans).toBe(0);
    expect(second.jobs.indexEntries).toBeLessThanOrEqual(100);
  },
);

function costOfAsking(ask: (engine: Engine) => Promise<unknown>): Promise<Cost> {
  return costOf(db, async () => {
    const engine = createEngine({ databaseUrl: db.url, pipelines: [mixed], logger: null });
    await ask(engine);
    await engine.stop();
  });
}
