import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkArrows } from "./check-arrows.ts";

/** What the check says about a repository with these files. */
async function problemsIn(files: Record<string, string>): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), "lockstep-arrows-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return checkArrows(root);
}

const importing = (specifier: string) => `import { x } from "${specifier}";\n`;

const allowed: [string, Record<string, string>][] = [
  ["the engine imports the database", { "packages/engine/src/engine.ts": importing("@lockstep/database") }],
  ["a test imports test-support", { "packages/engine/src/a.test.ts": importing("@lockstep/test-support") }],
  [
    "what several tests of a package set up imports test-support",
    { "packages/engine/src/test-support/a.ts": importing("@lockstep/test-support") },
  ],
  ["a test imports its own package by name", { "packages/engine/src/a.test.ts": importing("lockstep") }],
  ["stories import anything", { "test/scenarios/a.test.ts": importing("@lockstep/local-postgres") }],
  [
    "the console imports types of the contract",
    { "packages/console/src/a.ts": `import type { A } from "@lockstep/server/contract";` },
  ],
  [
    "a worker imports jobs and clock",
    { "packages/engine/src/worker/a.ts": importing("../jobs/reading/job.ts") + importing("../clock.ts") },
  ],
  ["clock.ts makes timers", { "packages/engine/src/clock.ts": "setTimeout(f, 1); Date.now();" }],
  [
    "anybody may use setImmediate and dates with a value",
    { "packages/engine/src/a.ts": "setImmediate(f); new Date(x);" },
  ],
  [
    "comments speak of anything",
    { "packages/engine/src/a.ts": "// lockstep.jobs, setTimeout\n/* process.exit(1) p_now */ const a = 1;" },
  ],
  [
    "an app's store speaks SQL",
    { "apps/orders/src/store/a.ts": "const text = `select * from orders.orders`;" },
  ],
  [
    "a statement names its columns once",
    {
      "apps/orders/src/store/a.ts": `const text = \`select \${orderColumns} from orders.orders where id = $1\`;`,
    },
  ],
  ["store speaks SQL", { "packages/engine/src/store/a.ts": "const text = `select * from lockstep.jobs`;" }],
  [
    "a migration makes a trigger",
    {
      "packages/database/functions/wake.sql":
        "create or replace function lockstep.wake() returns trigger as $$ begin end $$;\n",
      "packages/database/migrations/0002_x.sql":
        "create or replace function lockstep.wake() returns trigger as '';\ncreate trigger wake after insert on lockstep.jobs execute function lockstep.wake();",
    },
  ],
  [
    "a migration drops a function",
    {
      "packages/database/functions/claim_jobs.sql":
        "create or replace function lockstep.claim_jobs() returns void",
      "packages/database/migrations/0002_x.sql":
        "drop function if exists lockstep.claim_jobs(uuid);\ncreate index on lockstep.jobs (id);",
    },
  ],
];

for (const [title, files] of allowed) {
  test(`no objection: ${title}`, async () => {
    expect(await problemsIn(files)).toEqual([]);
  });
}

const refused: [string, Record<string, string>, string][] = [
  [
    "the database imports the engine",
    { "packages/database/src/a.ts": importing("lockstep") },
    "packages/database/src/a.ts imports lockstep. packages/database may import nothing of ours.",
  ],
  [
    "the server imports more than the engine",
    { "packages/server/src/a.ts": importing("@lockstep/database") },
    "packages/server/src/a.ts imports @lockstep/database. packages/server may import only lockstep.",
  ],
  [
    "an import over several lines",
    { "packages/server/src/a.ts": `import {\n  a,\n  b,\n} from "@lockstep/cli";` },
    "packages/server/src/a.ts imports @lockstep/cli. packages/server may import only lockstep.",
  ],
  [
    "an import for its side effect",
    { "packages/database/src/a.ts": `import "lockstep";` },
    "packages/database/src/a.ts imports lockstep. packages/database may import nothing of ours.",
  ],
  [
    "an import in the middle of the code",
    { "packages/database/src/a.ts": `const a = await import("lockstep");` },
    "packages/database/src/a.ts imports lockstep. packages/database may import nothing of ours.",
  ],
  [
    "an export from elsewhere",
    { "packages/database/src/a.ts": `export * from "lockstep";` },
    "packages/database/src/a.ts imports lockstep. packages/database may import nothing of ours.",
  ],
  [
    "code imports what tests set up",
    { "packages/engine/src/worker/a.ts": importing("../test-support/b.ts") },
    "packages/engine/src/worker/a.ts imports ../test-support/b.ts. packages/engine/src/worker/ may import only jobs/, store/, events/, waiting/, clock.ts, type engine-config.ts.",
  ],
  [
    "code that is no test imports test-support",
    { "packages/engine/src/a.ts": importing("@lockstep/test-support") },
    "packages/engine/src/a.ts imports @lockstep/test-support. packages/engine may import only @lockstep/database.",
  ],
  [
    "the console imports more than types",
    { "packages/console/src/a.ts": importing("@lockstep/server/contract") },
    "packages/console/src/a.ts imports @lockstep/server/contract. packages/console may import only type @lockstep/server/contract.",
  ],
  [
    "a path into another package",
    { "packages/engine/src/a.ts": importing("../../database/src/migrate.ts") },
    "packages/engine/src/a.ts imports ../../database/src/migrate.ts. Packages import each other by name, never by a path.",
  ],
  [
    "a package nobody has placed",
    { "packages/cellar/src/a.ts": importing("node:fs") },
    "packages/cellar/src/a.ts: the room packages/cellar is not in scripts/arrows/rooms.ts. Say there what it may import.",
  ],
  [
    "jobs import the store",
    { "packages/engine/src/jobs/a.ts": importing("../store/stores.ts") },
    "packages/engine/src/jobs/a.ts imports ../store/stores.ts. packages/engine/src/jobs/ may import nothing of ours.",
  ],
  [
    "a client imports a worker's part",
    { "packages/engine/src/client/adding/a.ts": importing("../../worker/worker.ts") },
    "packages/engine/src/client/adding/a.ts imports ../../worker/worker.ts. packages/engine/src/client/ may import only jobs/, store/, events/, waiting/, clock.ts, type engine-config.ts.",
  ],
  [
    "a worker imports a client's part",
    { "packages/engine/src/worker/a.ts": importing("../client/adding/job-adder.ts") },
    "packages/engine/src/worker/a.ts imports ../client/adding/job-adder.ts. packages/engine/src/worker/ may import only jobs/, store/, events/, waiting/, clock.ts, type engine-config.ts.",
  ],
  [
    "the store imports the worker",
    { "packages/engine/src/store/a.ts": importing("../worker/worker.ts") },
    "packages/engine/src/store/a.ts imports ../worker/worker.ts. packages/engine/src/store/ may import only jobs/, type clock.ts.",
  ],
  [
    "a part imports the engine",
    { "packages/engine/src/worker/a.ts": importing("../engine.ts") },
    "packages/engine/src/worker/a.ts imports ../engine.ts. packages/engine/src/worker/ may import only jobs/, store/, events/, waiting/, clock.ts, type engine-config.ts.",
  ],
  [
    "a package.json lists what its room may not import",
    { "packages/database/package.json": `{ "dependencies": { "lockstep": "1" } }` },
    "packages/database/package.json lists lockstep. packages/database may import nothing of ours.",
  ],
  [
    "a package.json does not list what its code imports",
    { "packages/database/package.json": "{}", "packages/database/src/a.ts": importing("pg") },
    "packages/database/package.json does not list pg, which its code imports. Add it to dependencies.",
  ],
  [
    "a timer in the engine",
    { "packages/engine/src/worker/a.ts": "setTimeout(f, 1);" },
    "packages/engine/src/worker/a.ts says setTimeout. In the engine time comes from the Clock it is handed; only clock.ts and heartbeat-thread.js make it.",
  ],
  [
    "the wall clock in the engine",
    { "packages/engine/src/worker/a.ts": "const a = new Date();" },
    "packages/engine/src/worker/a.ts says new Date(). In the engine time comes from the Clock it is handed; only clock.ts and heartbeat-thread.js make it.",
  ],
  [
    "a table's name outside the store",
    { "packages/engine/src/worker/a.ts": "query(`from lockstep.jobs`);" },
    "packages/engine/src/worker/a.ts says lockstep.jobs. SQL and the names of tables and functions stand only in packages/database, engine/src/store and an app's store, and those of other queues in cli/src/import/store.",
  ],
  [
    "a statement with a value in its text",
    {
      "apps/orders/src/store/a.ts": `const text = \`select id from orders.orders where owner = '\${owner}'\`;`,
    },
    `apps/orders/src/store/a.ts says \`select id from orders.orders where owner = '\${. A statement is a constant text and its values are parameters; only packages/database puts SQL together.`,
  ],
  [
    "a statement that is put together",
    { "packages/engine/src/store/a.ts": 'const text = "delete from x where id = " + id;' },
    'packages/engine/src/store/a.ts says "delete from x where id = " +. A statement is a constant text and its values are parameters; only packages/database puts SQL together.',
  ],
  [
    "SQL outside the store",
    { "packages/server/src/a.ts": 'query("select 1 from x");' },
    `packages/server/src/a.ts says "select. SQL and the names of tables and functions stand only in packages/database, engine/src/store and an app's store, and those of other queues in cli/src/import/store.`,
  ],
  [
    "p_now in production",
    { "packages/engine/src/store/a.ts": "call({ p_now: 1 });" },
    "packages/engine/src/store/a.ts says p_now. The database's clock decides; p_now is sent only by tests.",
  ],
  [
    "a library that ends the process",
    { "packages/engine/src/a.ts": "process.exit(1);" },
    "packages/engine/src/a.ts says process.exit(. Only main.ts and the start of the CLI end a process; a library lets its caller decide.",
  ],
  [
    "a migration that calls a function",
    {
      "packages/database/functions/claim_jobs.sql":
        "create or replace function lockstep.claim_jobs() returns void",
      "packages/database/migrations/0002_x.sql": "select lockstep.claim_jobs();",
    },
    "packages/database/migrations/0002_x.sql calls lockstep.claim_jobs. A migration calls no function of ours: its result would depend on the day it runs.",
  ],
  [
    "a function's file that makes a trigger",
    {
      "packages/database/functions/wake.sql":
        "create or replace function lockstep.wake() returns trigger as $$ begin end $$;\ndrop trigger wake on lockstep.jobs;",
    },
    "packages/database/functions/wake.sql holds more than its function. Triggers and whatever locks a table belong into a migration.",
  ],
  [
    "a function under another name",
    { "packages/database/functions/a.sql": "create or replace function lockstep.b() returns void" },
    "packages/database/functions/a.sql must hold exactly one function, lockstep.a; it holds lockstep.b.",
  ],
  [
    "a function in two folders",
    {
      "packages/database/functions/api/a.sql": "create or replace function lockstep.a() returns void",
      "packages/database/functions/hot/a.sql": "create or replace function lockstep.a() returns void",
    },
    "packages/database/functions/hot/a.sql and packages/database/functions/api/a.sql hold the same function: one of them goes.",
  ],
  [
    "two functions in one file",
    {
      "packages/database/functions/a.sql": "create function lockstep.a() …; create function lockstep.b() …;",
    },
    "packages/database/functions/a.sql must hold exactly one function, lockstep.a; it holds lockstep.a, lockstep.b.",
  ],
];

for (const [title, files, sentence] of refused) {
  test(`refused: ${title}`, async () => {
    expect(await problemsIn(files)).toEqual([sentence]);
  });
}
