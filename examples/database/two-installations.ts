import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const letters = definePipeline<{ to: string }>("letters").stage(
  "write",
  ({ payload }) => `Dear ${payload.to}`,
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
// Two installations in one database: each has its own tables, functions, roles and workers.
const shop = createEngine({ databaseUrl, pipelines: [letters] }); // in the schema "lockstep"
const office = createEngine({ databaseUrl, schema: "office_jobs", pipelines: [letters] });
await shop.migrate();
await office.migrate();

const toAda = await shop.add(letters, { to: "Ada" });
const toBob = await office.add(letters, { to: "Bob" });
await Promise.all([shop.start(), office.start()]);
console.log("shop:", await shop.result(toAda.id));
console.log("office:", await office.result(toBob.id));
console.log("the shop knows the office's job:", (await shop.get(toBob.id)) !== null);

await Promise.all([shop.stop(), office.stop()]);
