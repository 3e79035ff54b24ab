import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";
import pg from "pg";

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const pool = new pg.Pool({ connectionString: databaseUrl });

async function inTransaction<Result>(run: (tx: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const tx = await pool.connect();
  try {
    await tx.query("begin");
    const result = await run(tx);
    await tx.query("commit");
    return result;
  } catch (error) {
    await tx.query("rollback");
    throw error;
  } finally {
    tx.release();
  }
}

const fulfilment = definePipeline<{ order: number }>("fulfilment").stage(
  "take-from-stock",
  async ({ payload, completeIn }) =>
    inTransaction(async (tx) => {
      const { rows } = await tx.query("update stock set pieces = pieces - 1 returning pieces");
      // The piece is gone and the stage is done, or neither: however often this handler runs.
      return await completeIn(tx, { order: payload.order, left: Number(rows[0].pieces) });
    }),
);

const engine = createEngine({ databaseUrl, pipelines: [fulfilment] });
await engine.migrate();
await pool.query("create table if not exists orders (number integer primary key)");
await pool.query("create table if not exists stock as select 10 as pieces");

const { id } = await inTransaction(async (tx) => {
  await tx.query("insert into orders values (1)");
  return await engine.add(fulfilment, { order: 1 }, { tx }); // no worker sees it before the order is there
});
const refused = inTransaction(async (tx) => {
  await engine.add(fulfilment, { order: 1 }, { tx });
  await tx.query("insert into orders values (1)"); // is there already: the job is rolled back with it
});
await refused.catch((error) => console.log(error.message));

await engine.start();
const { order, left } = await engine.result(id);
console.log(`order ${order}: ${left} pieces left`);
await engine.stop();
await pool.end();
