import { createEngine, definePipeline } from "lockstep";
import { z } from "zod";

const order = z.object({ order: z.number(), currency: z.string() });
const orders = definePipeline("orders", { payload: order })
  .stage("read", ({ payload }) => payload.order)
  .stage("send", ({ output }) => ({ sent: output }));

const engine = createEngine({ databaseUrl: process.env.DATABASE_URL ?? "", pipelines: [orders] });
const unrunnable = await engine.check();
for (const { explanation, firstIds } of unrunnable) console.error(explanation, ...firstIds);
await engine.stop();
process.exitCode = unrunnable.length > 0 ? 1 : 0;
