import { defineConfig } from "vitest/config";
import { LongFilesFirst } from "./scripts/test/long-files-first.ts";

// Packages find each other's TypeScript through the "@lockstep/source" condition of their package.json.
// Not "module": what bundlers read there, @opentelemetry/api for one, Node does not load.
const conditions = ["@lockstep/source", "node", "development|production"];
const resolution = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Where Vitest loads the global set-up.
  environments: { __vitest__: { resolve: { conditions } } },
};
const limits = {
  pool: "forks" as const,
  testTimeout: 30_000,
  hookTimeout: 60_000,
};

// Files that leave nothing behind in their process.
const plain = [
  "packages/{database,engine,server,client,cli,ai}/{src,functions}/**/*.test.ts",
  "packages/{guarded-fetch,console}/src/**/*.test.ts",
  "apps/*/src/**/*.test.ts",
  "scripts/**/*.test.ts",
];

// They fill the machine with processes, or count what the whole server writes, or what depends on the pace of a worker.
const alone = ["test/chaos/deadlock-storm.test.ts", "test/guards/{wal-per-job,query-plans}.test.ts"];

// The first files wait a quarter of their time, for PostgreSQL and for clocks. Projects of one group must have the same number.
const atOnce = 3;

// In the projects whose tests start workers: loaded from the sources, each would take a second of a processor.
const bundledWorker = ["test/scenarios/processes/bundle-worker.ts"];

export default defineConfig({
  ...resolution,
  test: {
    // Here and not in the projects, which then share one server.
    globalSetup: ["packages/test-support/src/global-setup.ts"],
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        ...resolution,
        test: {
          ...limits,
          name: "packages",
          include: plain,
          maxWorkers: atOnce,
          // One process loads the modules once for all of its files: loading them took more time than many of the tests.
          isolate: false,
        },
      },
      {
        ...resolution,
        test: {
          ...limits,
          name: "apart",
          include: ["{packages,apps,scripts}/**/*.test.{ts,tsx}"],
          exclude: [...plain, "**/node_modules/**"],
          maxWorkers: atOnce,
        },
      },
      {
        ...resolution,
        test: {
          ...limits,
          name: "examples",
          globalSetup: ["examples/bundle-examples.ts"],
          include: ["examples/**/*.test.ts"],
          maxWorkers: atOnce,
          isolate: false,
        },
      },
      {
        ...resolution,
        test: {
          ...limits,
          name: "stories",
          globalSetup: bundledWorker,
          include: [
            "{test/{chaos,scenarios,security,mounts,pgbouncer,import,model,pairs,mutants,fuzz},bench}/**/*.test.ts",
          ],
          exclude: alone,
          // Whole processes with leases and signals: after the others. They wait more than they work, chaos most of all, so four at a time.
          maxWorkers: 4,
          isolate: false,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
        },
      },
      {
        ...resolution,
        test: {
          ...limits,
          name: "counted",
          include: ["test/guards/**/*.test.ts"],
          exclude: alone,
          // What is counted in a database of one's own is the same whatever else goes on.
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
        },
      },
      {
        ...resolution,
        test: {
          ...limits,
          name: "outside",
          globalSetup: bundledWorker,
          include: ["test/{browser,packaging}/**/*.test.ts"],
          exclude: alone,
          // As people meet it: browsers and installed packages, which would slow the leases of the stories.
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
        },
      },
      {
        ...resolution,
        test: {
          ...limits,
          name: "alone",
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
          testTimeout: 120_000,
        },
      },
    ],
  },
});
