import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";
import pg from "pg";

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const pool = new pg.Pool({ connectionString: databaseUrl });

const documents = definePipeline<{ document: number }>("documents")
  .stage("read", async ({ payload }) => ({ text: `document ${payload.document}` }))
  .stage("file", async ({ output }) => ({ letters: output.text.length }));
const engine = createEngine({ databaseUrl, pipelines: [documents] });
await engine.migrate();

// What is still waiting in a table of your own, moved in one transaction: each row becomes one job, and none is lost.
await pool.query(
  "create table if not exists work (id integer primary key, status text not null default 'pending')",
);
await pool.query("insert into work (id) values (1), (2), (3)");
const tx = await pool.connect();
await tx.query("begin");
const { rows } = await tx.query<{ id: number }>(
  "update work set status = 'moved' where status = 'pending' returning id",
);
const items = rows.map(({ id }) => ({ payload: { document: id }, dedupKey: `work ${id}` }));
const added = await engine.addMany(documents, items, { tx });
await tx.query("commit");
tx.release();

await engine.start();
const results = await Promise.all(added.map(({ id }) => engine.result(id)));
console.log(`${results.length} moved and filed`);
await engine.stop();
await pool.end();
