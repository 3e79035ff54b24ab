import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const receipts = new Map<string, { receipt: string }>();

/** A provider that knows idempotency keys: the same key gets the same receipt. Its first answer is lost on the way. */
async function charge(cents: number, idempotencyKey: string): Promise<{ receipt: string }> {
  const isNew = !receipts.has(idempotencyKey);
  console.log(isNew ? `the provider charges ${cents} cents` : "the provider has seen this key");
  if (isNew) receipts.set(idempotencyKey, { receipt: `R-${receipts.size + 1}` });
  if (isNew) throw Object.assign(new Error("The connection was reset"), { code: "ECONNRESET" });
  return receipts.get(idempotencyKey) ?? { receipt: "none" };
}

const order = definePipeline<{ cents: number }>("order").stage(
  "pay",
  { retry: { kind: "constant", baseMs: 10 } },
  async ({ payload, once, attempt }) => {
    console.log(`attempt ${attempt}`);
    const paid = await once("charge", ({ idempotencyKey }) => charge(payload.cents, idempotencyKey));
    if (attempt < 3) throw new Error("something else goes wrong");
    return paid;
  },
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [order] });
await engine.migrate();
await engine.start();

const { id } = await engine.add(order, { cents: 1_250 });
console.log(await engine.result(id));
for (const { key, state, starts } of await engine.effects(id)) console.log({ key, state, starts });

await engine.stop();
