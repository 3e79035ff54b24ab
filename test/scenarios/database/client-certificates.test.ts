// In real time: a server starts.
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import { join } from "node:path";
import { createSecureContext, TLSSocket } from "node:tls";
import { startPostgres } from "@lockstep/local-postgres";
import { type Certificate, CertificateAuthority } from "@lockstep/test-support";
import { type ConnectionConfig, createEngine, type Engine, migrate } from "lockstep";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { chooseServerUser } from "../../../packages/local-postgres/src/server-user.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";

const { errand } = storyPipelines();
const authority = new CertificateAuthority("the authority of this house");
const anotherAuthority = new CertificateAuthority("another authority");
const ours = authority.issue({ commonName: "ada" });
const ways = ["engine", "heartbeat", "listener"].map((name) => `lockstep ${name}`);

/** Where the server runs as another user than this process, that one gets the file. */
async function giveToServer(path: string): Promise<void> {
  const { uid, gid } = chooseServerUser(undefined);
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

let folder: string;
let superuser: pg.Client;
let server: Awaited<ReturnType<typeof startPostgres>>;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp("/tmp/lockstep-certificates-");
  await giveToServer(folder);
  const own = authority.issue({ commonName: "localhost", hosts: ["localhost"] });
  server = await startPostgres({
    settings: {
      fsync: "off",
      ssl: "on",
      ssl_cert_file: await file("server.crt", own.cert),
      ssl_key_file: await file("server.key", own.key),
      ssl_ca_file: await file("ca.crt", authority.cert),
      hba_file: await file(
        "pg_hba.conf",
        // The last is for the tunnel, which ends TLS itself.
        "hostssl all ada 127.0.0.1/32 trust clientcert=verify-full\nhostssl all bob 127.0.0.1/32 cert\nhost all postgres,tunnel 127.0.0.1/32 trust\n",
      ),
    },
  });
  port = Number(new URL(server.url).port);
  superuser = new pg.Client({ connectionString: server.url });
  await superuser.connect();
  await migrate({ databaseUrl: server.url });
  await superuser.query(
    "create role ada login in role lockstep_worker, lockstep_producer; create role bob login; create role tunnel login in role lockstep_worker, lockstep_producer",
  );
}, 120_000);
afterAll(async () => {
  await superuser?.end();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600 });
  await giveToServer(path);
  return path;
}

async function urlWith({ cert, key }: Certificate, user = "ada"): Promise<string> {
  const files = {
    sslmode: "verify-full",
    sslrootcert: join(folder, "ca.crt"),
    sslcert: await file("client.crt", cert),
    sslkey: await file("client.key", key),
  };
  return `postgres://${user}@localhost:${port}/postgres?${new URLSearchParams(files)}`;
}

const inParts = (own: Partial<Certificate>): ConnectionConfig => ({
  host: "localhost",
  port,
  user: "ada",
  database: "postgres",
  ssl: { ca: authority.cert, ...own },
});

function engineAt(connection: ConnectionConfig): Engine {
  const engine = createEngine({ connection, pipelines: [errand], logger: null, heartbeatIntervalMs: 100 });
  onTestFinished(() => engine.stop());
  return engine;
}

/** A job goes through it, and each of its ways is seen by `look`. */
async function works(engine: Engine, look: () => Promise<readonly string[]>): Promise<void> {
  await engine.start();
  const { id } = await engine.add(errand, { do: "answer" });
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  await until("all of its ways are seen", async () => {
    const seen = await look();
    return ways.every((way) => seen.includes(way));
  });
  await engine.stop();
}

describe("a server that asks for a certificate of the user's own", () => {
  const certified = async () => {
    const { rows } = await superuser.query<{ name: string }>(
      "select a.application_name as name from pg_stat_ssl s join pg_stat_activity a using (pid) where s.client_dn = '/CN=ada'",
    );
    return rows.map(({ name }) => name);
  };

  test("gets it from every connection, by the files that a URL names", async () => {
    await works(engineAt({ connectionString: await urlWith(ours) }), certified);
  });

  test("and by the texts of a connection in parts", async () => {
    await works(engineAt(inParts(ours)), certified);
  });

  const wrong =
    /^PostgreSQL wants a certificate of this user, and there is none that it accepts \(.+\): give/;
  test.each([
    ["no certificate", {}],
    ["one of another authority", anotherAuthority.issue({ commonName: "ada" })],
    [
      "one with the key of another",
      { cert: ours.cert, key: anotherAuthority.issue({ commonName: "ada" }).key },
    ],
  ])("%s is refused by start() at once, with what to do", async (_what, own) => {
    await expect(engineAt(inParts(own)).start()).rejects.toThrow(wrong);
  });

  test("so is one for another user", async () => {
    await expect(engineAt({ connectionString: await urlWith(ours, "bob") }).start()).rejects.toThrow(wrong);
  });
});

describe("the name that a client greets with", () => {
  /** Ends TLS before PostgreSQL, as a proxy does that chooses the server by the name; it keeps the names. */
  async function tunnel() {
    const names: (string | null)[] = [];
    const sockets = new Set<Socket>();
    const own = authority.issue({
      commonName: "db.example",
      hosts: ["db.example", "localhost", "127.0.0.1"],
    });
    const secureContext = createSecureContext(own);
    const listening = createServer((client) => {
      // The first message asks for TLS.
      client.once("data", () => {
        client.write("S");
        const secured = new TLSSocket(client, {
          isServer: true,
          secureContext,
          SNICallback: (name, give) => {
            names.push(name);
            give(null, secureContext);
          },
        });
        const upstream = dial(port, "127.0.0.1");
        secured.once("secure", () => {
          if (!secured.servername) names.push(null);
        });
        for (const [from, to] of [
          [secured, upstream],
          [upstream, secured],
        ] as const) {
          sockets.add(from);
          from.pipe(to);
          from.on("error", () => to.destroy());
        }
      });
    });
    listening.listen(0, "127.0.0.1");
    await once(listening, "listening");
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      listening.close();
    });
    return { names, port: (listening.address() as AddressInfo).port };
  }

  test.each([
    ["localhost", "db.example", "db.example"],
    ["127.0.0.1", "db.example", "db.example"],
    ["localhost", undefined, "localhost"],
    // An address is no name.
    ["127.0.0.1", undefined, null],
  ])("at %s with servername %s is %s, on every connection", async (host, servername, expected) => {
    const { names, port: tunnelPort } = await tunnel();
    const connection = {
      connectionString: `postgres://tunnel@${host}:${tunnelPort}/postgres`,
      ssl: { ca: authority.cert, servername },
    };
    await works(engineAt(connection), async () => {
      const { rows } = await superuser.query<{ name: string }>(
        "select application_name as name from pg_stat_activity where usename = 'tunnel'",
      );
      return rows.map(({ name }) => name);
    });
    expect(names.length).toBeGreaterThanOrEqual(ways.length);
    expect(new Set(names)).toEqual(new Set([expected]));
  });
});
