import { createEngine, type Engine } from "lockstep";
import { until } from "../scenarios/stories/until.ts";
import type { ConsolePlaces } from "./console-pages.ts";
import { documentOcr, expenseClaim, websiteAnalysis } from "./demo-pipelines.ts";

const sites = ["bicycles", "ceramics", "tea-house", "print-shop", "orchard", "clockmaker", "ferry", "bakery"];

/**
 * A day's work in small: jobs of every status, two kinds of errors, a loss of patience, a schedule, a paused stage, a
 * bulk action, and jobs that wait for people. The engine must have been started; what it processes then takes a minute.
 */
export async function furnish(engine: Engine): Promise<ConsolePlaces> {
  const site = (name: string, rest: object = {}) => ({ url: `https://${name}.example`, stepMs: 40, ...rest });
  for (const name of sites)
    await engine.add(websiteAnalysis, site(name), { owner: "ada", tags: ["nightly"] });
  for (const doc of ["deed-9.pdf", "lease-4.pdf", "will-2.pdf"])
    await engine.add(documentOcr, { doc, stepMs: 30 });
  const failed = await engine.add(websiteAnalysis, site("gallery", { failIn: "model-analysis" }));
  await engine.add(websiteAnalysis, site("harbour", { failIn: "model-analysis" }));
  await engine.add(websiteAnalysis, site("museum", { failIn: "website-analysis" }));
  await engine.add(documentOcr, { doc: "broken-contract-17.pdf", stepMs: 30 });
  const claims = [
    await engine.add(
      expenseClaim,
      { item: "Train to Basel", amount: 84.5, currency: "CHF" },
      { owner: "ada" },
    ),
    await engine.add(expenseClaim, { item: "Desk lamp", amount: 39, currency: "EUR" }, { owner: "grace" }),
  ];
  const tomorrow = new Date(Date.now() + 86_400_000);
  await engine.add(documentOcr, { doc: "archive-1.pdf", stepMs: 30 }, { scheduledFor: tomorrow });
  const late = await engine.add(
    documentOcr,
    { doc: "archive-2.pdf", stepMs: 30 },
    { scheduledFor: tomorrow },
  );
  await engine.cancel(late.id);
  await engine.schedule("morning-report", websiteAnalysis, {
    cron: "0 6 * * MON-FRI",
    timeZone: "Europe/Berlin",
    payload: site("newspaper"),
  });
  await engine.schedule("weekly-archive", documentOcr, {
    cron: "30 22 * * SUN",
    payload: { doc: "archive.pdf", stepMs: 30 },
  });
  await until("two jobs have failed and the others are done", async () => {
    const stats = await engine.stats();
    const of = (status: string) =>
      stats.filter((each) => each.status === status).reduce((sum, { jobs }) => sum + jobs, 0);
    if ((await engine.waits()).length < claims.length) return false;
    return of("failed") >= 2 && of("retrying") >= 2 && of("pending") === 0 && of("processing") === 0;
  });
  const { id: bulkId } = await engine.bulk.start({ action: "cancel", filter: { tag: "none" }, user: "ada" });
  await engine.pause(documentOcr, "boost");
  for (const doc of ["contract-18.pdf", "contract-19.pdf", "permit-3.pdf"])
    await engine.add(documentOcr, { doc, stepMs: 30 });
  for (const name of ["florist", "optician"])
    await engine.add(websiteAnalysis, site(name, { stepMs: 60_000 }), { owner: "grace" });
  const { fingerprint } = (await engine.get(failed.id)) ?? {};
  const [worker] = await engine.workers();
  return {
    pipeline: websiteAnalysis.name,
    jobId: failed.id,
    branchedJobId: claims[1]?.id ?? "",
    workerId: worker?.workerId ?? "",
    fingerprint: fingerprint ?? "",
    bulkId,
  };
}

/** Another process's worker, as far as anyone can see. */
export async function helper(databaseUrl: string): Promise<Engine> {
  const engine = createEngine({
    databaseUrl,
    pipelines: [documentOcr],
    workerName: "worker-2",
    logger: null,
  });
  await engine.start();
  return engine;
}
