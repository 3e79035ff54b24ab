// No engine works here: every step is one call of a function, as Supabase's .rpc(), PostgREST or any language can make it.
import { randomUUID } from "node:crypto";
import { startPostgres } from "@lockstep/local-postgres";
import { migrate } from "lockstep";
import pg from "pg";

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
await migrate({ databaseUrl }); // or `lockstep migrate --sql`, which prints the script
const database = new pg.Client({ connectionString: databaseUrl });
await database.connect();

/** What `supabase.schema("lockstep").rpc(name, args)` does. */
async function rpc(name: string, args: Record<string, unknown>) {
  const named = Object.keys(args).map((key, index) => `${key} => $${index + 1}`);
  const { rows } = await database.query(
    `select * from lockstep.${name}(${named.join(", ")})`,
    Object.values(args),
  );
  return rows;
}

await rpc("define_pipeline", {
  p_name: "mail",
  p_stages: JSON.stringify([{ name: "send", maxAttempts: 5 }]),
});
const [added] = await rpc("add_job", {
  p_pipeline: "mail",
  p_payload: { to: "ada@example.org" },
  p_owner: "ada",
});

const worker = randomUUID();
await rpc("register_worker", { p_worker_id: worker, p_name: "a worker in SQL" });
for (const { id, claim_token, payload } of await rpc("claim_jobs", {
  p_worker_id: worker,
  p_stages: ["mail/send"],
  p_batch_size: 10,
})) {
  // For work that takes longer than the lease of 30 s, call heartbeat every 10 s meanwhile.
  const output = { sentTo: payload.to };
  const [{ complete_job }] = await rpc("complete_job", {
    p_id: id,
    p_claim_token: claim_token,
    p_output: output,
  });
  console.log(complete_job);
}
const [job] = await rpc("get_job", { p_id: added.id });
console.log(job.status, job.result);

await rpc("deregister_worker", { p_worker_id: worker });
await database.end();
