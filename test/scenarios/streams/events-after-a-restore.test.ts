// On servers of their own: a dump is restored into another server, with numbers of transactions of its own.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startPostgres } from "@lockstep/local-postgres";
import { findPostgresWithJit } from "@lockstep/test-support";
import { type Engine, migrate } from "lockstep";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";

const { errand } = storyPipelines();
const installed = findPostgresWithJit();
const pgDump = join(installed ?? "", "bin/pg_dump");

async function aServer(binariesFolder?: string): Promise<{ url: string; client: pg.Client }> {
  const server = await startPostgres({ binariesFolder, settings: { fsync: "off" } });
  onTestFinished(() => server.stop());
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  onTestFinished(() => client.end());
  return { url: server.url, client };
}

/** Every row as it is, table by table in files, with triggers asleep, and where the sequences stand: what a dump of data is. */
async function copyRows(from: pg.Client, to: pg.Client): Promise<void> {
  const { rows: tables } = await from.query<{ name: string; columns: string }>(
    `select c.oid::regclass::text as name, (
       select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
       from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     ) as columns
     from pg_class c
     where c.relnamespace = 'lockstep'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     order by c.oid`,
  );
  const { rows: sequences } = await from.query<{ name: string; last: string }>(
    `select format('%I.%I', s.schemaname, s.sequencename) as name, s.last_value as last
     from pg_sequences s
     where s.schemaname = 'lockstep' and s.last_value is not null`,
  );
  const { rows: folders } = await from.query<{ folder: string }>(
    "select current_setting('data_directory') as folder",
  );
  await to.query("set session_replication_role = replica");
  await to.query(`truncate ${tables.map(({ name }) => name).join(", ")}`);
  for (const [index, { name, columns }] of tables.entries()) {
    const file = `'${join(folders[0]?.folder ?? "", `table-${index}.copy`)}'`;
    await from.query(`copy (select ${columns} from ${name}) to ${file}`);
    await to.query(`copy ${name} (${columns}) from ${file}`);
  }
  for (const { name, last } of sequences) await to.query("select setval($1, $2)", [name, last]);
}

/** Both use the whole of what pg_dump writes, the schema too. */
async function dumpAndRestore(from: string, to: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-dump-"));
  const run = (program: string, args: string[]) =>
    promisify(execFile)(join(installed ?? "", "bin", program), args);
  try {
    const file = join(folder, "dump");
    await run("pg_dump", ["--format=custom", `--file=${file}`, from]);
    await run("pg_restore", ["--no-owner", "--no-privileges", "--exit-on-error", `--dbname=${to}`, file]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Lets transactions come and go. */
const passNumbers = (client: pg.Client, count: number) =>
  client.query(
    `do $$ begin for n in 1 .. ${count} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  );

/** What is told from a cursor on until nothing is left, as jobs and kinds. */
async function readAll(engine: Engine, after: string): Promise<{ told: string[]; cursor: string }> {
  const reader = engine.reader();
  const told: string[] = [];
  for (let cursor = after; ; ) {
    const page = await reader.events({ after: cursor });
    told.push(
      ...page.events.map((event) =>
        event.kind === "events.reset" ? "reset" : `${event.jobId} ${event.kind}`,
      ),
    );
    cursor = page.cursor;
    if (page.isAll) {
      await reader.close();
      return { told, cursor };
    }
  }
}

const ways = [
  { how: "copying every table", binaries: undefined, needs: true },
  {
    how: "pg_dump and pg_restore, where the machine has them",
    binaries: installed ?? undefined,
    needs: existsSync(pgDump),
  },
];

for (const { how, binaries, needs } of ways) {
  test.skipIf(!needs)(
    `by ${how}: old events are not told as news, an old cursor is told of the reset, and jobs go on`,
    async () => {
      const [old, restored] = [await aServer(binaries), await aServer(binaries)];
      await migrate({ databaseUrl: old.url });
      // Its numbers are ahead: those of its events will come up on the other server.
      await passNumbers(old.client, 5_000);
      const before = storyEngine(old);
      const add = async (engine: Engine) => (await engine.add(errand, { do: "answer" }, { owner: "ada" })).id;
      const ids = [await add(before), await add(before)];
      const { cursor } = await readAll(before, "start");
      ids.push(await add(before), await add(before));
      const whole = await readAll(before, "start");
      expect(whole.told).toEqual(ids.map((id) => `${id} job.added`));

      if (binaries === undefined) {
        await migrate({ databaseUrl: restored.url });
        await copyRows(old.client, restored.client);
      } else {
        await dumpAndRestore(old.url, restored.url);
      }

      const after = storyEngine(restored);
      const now = await after.eventCursor();
      const expectReset = async () => {
        for (const place of [cursor, whole.cursor])
          expect((await readAll(after, place)).told).toEqual(["reset"]);
      };
      await expectReset();
      const news = [await add(after)];
      await passNumbers(restored.client, 10_000);
      const { rows } = await restored.client.query(
        "select max(xid::text::bigint) < pg_current_xact_id()::text::bigint as passed from lockstep.events",
      );
      expect(rows).toEqual([{ passed: true }]);
      await expectReset();
      news.push(await add(after));
      const told = (of: string[]) => of.map((id) => `${id} job.added`);
      expect((await readAll(after, now)).told).toEqual(told(news));
      expect((await readAll(after, "start")).told).toEqual(told([...ids, ...news]));
      await after.start();
      for (const id of [...ids, ...news]) expect(await after.result(id)).toEqual({ pid: process.pid });
    },
  );
}
