import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testDatabase } from "@lockstep/test-support";
import { describe, expect, onTestFinished, test } from "vitest";
import { sqlModule } from "../../scripts/build/embed-sql.ts";
import type { PackedPackages } from "./packed-packages.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("./rollout-program.mjs", import.meta.url));

interface Told {
  readonly added: string[];
  readonly failures: string[];
}

type Role = "work" | "add" | "serve";

/** Old and new processes side by side, from one release to the next and back. */
export function rolloutsWork(packages: PackedPackages): void {
  describe("a rolling deploy", () => {
    const db = testDatabase();
    const told: Told[] = [];

    /** A process of a release; `stop` waits for its end. */
    async function start(release: string, role: Role): Promise<{ stop(): Promise<void> }> {
      const child = spawn(process.execPath, [join(release, "rollout-program.mjs"), role], {
        cwd: release,
        // biome-ignore lint/style/noProcessEnv: npm's own settings are in it.
        env: { ...process.env, DATABASE_URL: db.url },
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      let errors = "";
      child.stderr.on("data", (chunk: Buffer) => {
        errors += chunk.toString("utf8");
      });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const next = async () => {
        const { value, done } = await lines.next();
        if (done) throw new Error(`A process that was to ${role} ended and said:\n${errors}`);
        return value;
      };
      expect(await next()).toBe("ready");
      return {
        async stop() {
          child.stdin.end();
          told.push(JSON.parse(await next()));
          await once(child, "close");
        },
      };
    }

    const startAll = (release: string) =>
      Promise.all((["work", "add", "serve"] as const).map((role) => start(release, role)));
    const stopAll = (processes: readonly { stop(): Promise<void> }[]) =>
      Promise.all(processes.map((one) => one.stop()));

    /** Until so many more jobs have ended: everybody has had a part in it by then. */
    async function moreEnd(count: number): Promise<void> {
      const ended = async () => {
        const [row] = await db.query<{ jobs: number }>(
          "select count(*)::integer as jobs from lockstep.finished_jobs",
        );
        return row?.jobs ?? 0;
      };
      const enough = (await ended()) + count;
      await expect.poll(ended, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(enough);
    }

    const migrate = (release: string) =>
      run(
        process.execPath,
        [
          "--input-type=module",
          "--eval",
          `import { migrate } from "lockstep"; console.log(JSON.stringify(await migrate({ databaseUrl: "${db.url}" })));`,
        ],
        { cwd: release },
      ).then(({ stdout }) => JSON.parse(stdout));

    test("loses no job and fails no add, through migrate and back to the code before it", async (context) => {
      await packages.install(context);
      const old = packages.folder;
      const next = await nextRelease(old);
      await copyFile(program, join(old, "rollout-program.mjs"));
      await copyFile(program, join(next, "rollout-program.mjs"));
      await db.query("drop schema lockstep cascade");
      const { version } = await migrate(old);

      const first = await startAll(old);
      await moreEnd(50);
      expect(await migrate(next)).toMatchObject({
        migrations: ["9000_of_the_next_release"],
        functions: true,
        version: 9000,
      });
      await moreEnd(50);
      const second = await startAll(next);
      // Processes of the old release start again, and one of them migrates, as many do at their start.
      expect(await migrate(old)).toMatchObject({ migrations: [], functions: false, version: 9000 });
      const third = await startAll(old);
      await moreEnd(100);
      await stopAll([...first, ...third]);
      await moreEnd(50);
      const back = await startAll(old);
      await stopAll(second);
      await moreEnd(50);
      const [worker, ...adders] = back;
      await stopAll(adders);
      expect(version).toBeLessThan(9000);

      const acknowledged = told.flatMap(({ added }) => added);
      expect(told.flatMap(({ failures }) => failures)).toEqual([]);
      const statuses = async () =>
        await db.query(
          `select f.status, count(*)::integer as jobs
           from unnest($1::uuid[]) as a (id) left join lockstep.finished_jobs f on f.id = a.id group by 1`,
          [acknowledged],
        );
      await expect
        .poll(statuses, { timeout: 60_000 })
        .toEqual([{ status: "completed", jobs: acknowledged.length }]);
      await worker?.stop();
      expect(await db.query("select count(*)::integer as jobs from lockstep.jobs")).toEqual([{ jobs: 0 }]);
      expect(await db.call("verify")).toEqual([]);
    }, 240_000);
  });
}

/**
 * The packages as the next release might have them: one migration more, which older code need not know, a function that has changed
 * and a new one. There is no earlier release yet that this one could follow.
 */
async function nextRelease(old: string): Promise<string> {
  const folder = join(old, "next-release");
  await mkdir(folder);
  await cp(join(old, "node_modules"), join(folder, "node_modules"), { recursive: true });
  const compiled = join(folder, "node_modules", "@lockstep", "database", "dist");
  await replaceIn(join(compiled, "index.js"), /(codeSchemaVersion = )\d+/, "$19000");
  const { packagedSql } = await import(join(compiled, "schema/packaged-sql.js"));
  const sql = await packagedSql();
  sql.migrations.push({
    name: "9000_of_the_next_release",
    text: "alter table lockstep.jobs add column of_the_next_release text; create index on lockstep.workers (name);",
  });
  const claim = sql.functions.find(({ name }: { name: string }) => name === "settle_and_claim");
  claim.text = claim.text.replace("\nbegin\n", "\nbegin\n  perform lockstep.of_the_next_release();\n");
  sql.functions.push({
    name: "of_the_next_release",
    text: "create or replace function lockstep.of_the_next_release() returns integer language sql as 'select 1';",
  });
  await writeFile(join(compiled, "schema/packaged-sql.js"), sqlModule(sql));
  return folder;
}

async function replaceIn(file: string, pattern: RegExp, text: string): Promise<void> {
  const before = await readFile(file, "utf8");
  const after = before.replace(pattern, text);
  expect(after).not.toBe(before);
  await writeFile(file, after);
}
