import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline, type EngineOptions } from "lockstep";
import pg from "pg";

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const { hostname: host, port, username: user, password, pathname } = new URL(databaseUrl);
const place = { host, port: Number(port), user, database: pathname.slice(1) };
const pool = new pg.Pool({ ...place, password, connectionTimeoutMillis: 10_000 });
pool.on("error", (error) => console.error(error.message));

const ways: Record<string, EngineOptions> = {
  // With TLS: add ?sslmode=verify-full, and sslrootcert=FILE for an authority of your own.
  "a URL": { databaseUrl },

  // With TLS: add ssl: { ca: process.env.DATABASE_CA }. The function is asked at every new connection; with RDS it would
  // return `new Signer({ hostname: host, port, username: user }).getAuthToken()`.
  "a password function": { connection: { ...place, password: async ({ user }) => tokenFor(user) } },

  // Tried in this order, until one can be written. In a URL: postgres://user@db1:5432,db2:5432/database
  "several hosts": {
    connection: { ...place, host: undefined, hosts: [{ host: "127.0.0.1", port: 1 }, place], password },
  },

  // One that the application has anyway. It stays open when the engine stops.
  "a pool": { pool },
};

const greeting = definePipeline<{ way: string }>("greeting").stage(
  "compose",
  ({ payload }) => `Hello by ${payload.way}!`,
);

for (const [way, options] of Object.entries(ways)) {
  const engine = createEngine({ ...options, pipelines: [greeting] });
  await engine.migrate();
  await engine.start();
  const { id } = await engine.add(greeting, { way });
  console.log(await engine.result(id));
  await engine.stop();
}
await pool.end();

function tokenFor(_user: string): string {
  return decodeURIComponent(password);
}
