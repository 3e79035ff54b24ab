import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PgBouncer, startPgBouncer } from "../pgbouncer/pg-bouncer.ts";
import { bundlePrograms } from "../scenarios/processes/bundle-programs.ts";
import { SeededRandom } from "../scenarios/requests/seeded-random.ts";
import { until } from "../scenarios/stories/until.ts";
import { ChaosDatabase } from "./chaos-database.ts";
import type { ChaosOptions } from "./chaos-options.ts";
import { type ChaosReport, reportOf } from "./chaos-report.ts";
import { FaultDealer } from "./fault-dealer.ts";
import { Fleet } from "./fleet.ts";
import { Lateness } from "./lateness.ts";
import { Producer } from "./producer.ts";
import { tenableLeaseMs } from "./slowness.ts";
import { installWitness } from "./witness.ts";

export interface ChaosParts {
  /** Called with the database when it is migrated and still quiet. */
  readonly prepare?: (database: ChaosDatabase) => Promise<void>;
  /** Told what goes on. */
  readonly tell?: (sentence: string) => void;
}

/** Workers, servers and producers under faults, until all jobs are finished; then everything is compared. */
export async function chaosRun(options: ChaosOptions, parts: ChaosParts = {}): Promise<ChaosReport> {
  // In this order they are undone from the last to the first.
  const undoing: (() => Promise<unknown>)[] = [];
  try {
    return await run(options, parts, undoing);
  } finally {
    for (const undo of undoing.reverse()) await undo();
  }
}

async function run(
  options: ChaosOptions,
  { prepare, tell = () => {} }: ChaosParts,
  undoing: (() => Promise<unknown>)[],
): Promise<ChaosReport> {
  const leaseMs = tenableLeaseMs(options.leaseMs);
  const journalFolder = await mkdtemp(join(tmpdir(), "lockstep-chaos-journal-"));
  undoing.push(() => rm(journalFolder, { recursive: true, force: true }));
  const programs = await bundlePrograms({
    worker: "test/chaos/worker-program.ts",
    api: "test/chaos/api-program.ts",
  });
  undoing.push(() => programs.remove());
  const database = await ChaosDatabase.start();
  undoing.push(() => database.stop());
  await installWitness(database);
  await prepare?.(database);
  let bouncer: PgBouncer | null = null;
  if (options.pooler) {
    bouncer = await startPgBouncer(database.url);
    undoing.push(async () => bouncer?.stop());
  }
  const fleet = await Fleet.start({
    options,
    programs: programs.paths,
    databaseUrl: bouncer?.through(database.url) ?? database.url,
    journalFolder,
    leaseMs,
    settings: bouncer === null ? {} : { transactionPooler: true, listenUrl: database.url },
  });
  undoing.push(() => fleet.end());
  tell(`The processes are ready; the lease is ${leaseMs} ms.`);

  const producer = new Producer({
    apiUrls: fleet.apiUrls,
    random: new SeededRandom(options.seed + 1),
    leaseMs,
    liveJobs: options.liveJobs,
    countLive: async () => (await database.liveIds()).length,
  });
  const dealer = new FaultDealer({
    kinds: options.kinds,
    workers: fleet.workers,
    apis: fleet.apis,
    database,
    random: new SeededRandom(options.seed),
    leaseMs,
  });
  const lateness = new Lateness(() => database.ask("select 1"));
  undoing.push(async () => lateness.stop());
  producer.start();
  lateness.start();
  await dealer.deal(options);
  // For good: the others have to do its jobs, too.
  if (fleet.isProxied) dealer.cutOffOne();
  const lastFaultMs = performance.now();
  tell(`${dealer.total} faults are dealt out: ${JSON.stringify(dealer.counts)}.`);
  await producer.stop();
  tell(`${producer.acknowledged.size} jobs are acknowledged.`);
  // Three stages of six leases, a few attempts each, and what the last faults have left. Who is late is named by the report.
  const isQuiet = async () => (await database.liveIds()).length === 0;
  // Long enough for the slowest machine: what is stuck is not finished then either.
  await until("every job is finished", isQuiet, { limitMs: Math.max(60 * leaseMs, 240_000) }).catch(() => {});
  const settledInMs = performance.now() - lastFaultMs;
  lateness.stop();
  return reportOf({
    database,
    fleet,
    producer,
    dealer,
    lateness,
    journalFolder,
    leaseMs,
    settledInMs,
    refusals: options.refusals,
    promptShare: options.promptShare,
  });
}
