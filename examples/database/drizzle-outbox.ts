import { startPostgres } from "@lockstep/local-postgres";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { createEngine, definePipeline } from "lockstep";
import pg from "pg";

const orders = pgTable("outbox_orders", { number: integer().primaryKey(), status: text().notNull() });

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const pool = new pg.Pool({ connectionString: databaseUrl });
const db = drizzle({ client: pool });
await pool.query(
  "create table if not exists outbox_orders (number integer primary key, status text not null)",
);

const confirmation = definePipeline<{ order: number }>("confirmation").stage(
  "send",
  async ({ payload, once, completeIn }) => {
    await once("mail", async ({ idempotencyKey }) =>
      console.log(`a mail, under a key of ${idempotencyKey.length}`),
    );
    return await db.transaction(async (tx) => {
      await tx.update(orders).set({ status: "confirmed" }).where(eq(orders.number, payload.order));
      return await completeIn(tx, { confirmed: payload.order }); // the row and the end of the stage, or neither
    });
  },
);
const engine = createEngine({ databaseUrl, pipelines: [confirmation] });
await engine.migrate();

/** The order and its job: both or neither, with no table of messages and nobody who empties it. */
async function place(number: number) {
  return await db.transaction(async (tx) => {
    await tx.insert(orders).values({ number, status: "new" });
    return await engine.add(confirmation, { order: number }, { tx });
  });
}

const { id } = await place(1);
await place(1).catch(() => console.log("refused, and so was its job"));

await engine.start();
console.log(await engine.result(id));
console.log(await db.select().from(orders));
await engine.stop();
await pool.end();
