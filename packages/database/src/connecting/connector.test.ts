import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ConnectionConfig, PasswordRequest } from "./connection-options.ts";
import { connectionTarget } from "./connection-target.ts";
import { Connector, noUsableHost, passwordFailed } from "./connector.js";

const db = testDatabase();
const { hostname, port, username, password, pathname } = new URL(db.url);
const here = { host: hostname, port: Number(port) };
const user = decodeURIComponent(username);
const database = pathname.slice(1);

function connector(connection: ConnectionConfig, startup: Record<string, string> = {}, isPooled = false) {
  const target = connectionTarget({ connection }, (sentence) => new Error(sentence));
  return new Connector({ Client: pg.Client, target, password: target.password, startup, isPooled });
}

function there(connection: ConnectionConfig, startup: Record<string, string> = {}, isPooled = false) {
  const known = { user, database, password: decodeURIComponent(password) };
  return connector({ ...known, ...connection }, startup, isPooled);
}

async function opened(connecting: Connector): Promise<pg.Client> {
  const client = await connecting.open({ connectionTimeoutMillis: 30_000 });
  onTestFinished(() => client.end());
  return client;
}

async function listening(
  onConnection: (socket: Socket) => void,
): Promise<{ host: string; port: number; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port, server };
}

/** Nobody listens there any more. */
async function closedPlace(): Promise<{ host: string; port: number }> {
  const { host, port: closed, server } = await listening(() => {});
  server.close();
  await once(server, "close");
  return { host, port: closed };
}

test("settings of the session go with the connection, whatever the role has", async () => {
  const settings = {
    default_transaction_isolation: "read committed",
    statement_timeout: "1234",
    DateStyle: "ISO, MDY",
  };
  const client = await opened(there({ ...here, options: "-c statement_timeout=7" }, settings));
  const { rows } = await client.query(
    "select current_setting('statement_timeout') as statement_timeout, current_setting('DateStyle') as date_style",
  );
  expect(rows).toEqual([{ statement_timeout: "1234ms", date_style: "ISO, MDY" }]);
});

describe("of several hosts", () => {
  test("one that is away is passed over, and the one that answers is gone on with", async () => {
    let asked = 0;
    const cut = await listening((socket) => {
      asked += 1;
      socket.destroy();
    });
    const connecting = there({ hosts: [await closedPlace(), cut, here] });
    expect((await opened(connecting)).port).toBe(here.port);
    expect((await opened(connecting)).port).toBe(here.port);
    expect(asked).toBe(1);
  });

  test("one that stays silent is passed over after its time", async () => {
    const silent = await listening(() => {});
    const client = await there({ hosts: [silent, here] }).open({ connectionTimeoutMillis: 2_000 });
    onTestFinished(() => client.end());
    expect(client.port).toBe(here.port);
  });

  test.each([
    ["as PostgreSQL reports it", false],
    ["or as it is asked, where a pooler's report may be old", true],
  ])("one that is read-only is passed over, %s", async (_how, isPooled) => {
    const readOnly = "-c default_transaction_read_only=on";
    const refused = there(
      { hosts: [here], options: readOnly, targetSessionAttrs: "read-write" },
      {},
      isPooled,
    );
    await expect(refused.open({})).rejects.toMatchObject({
      code: noUsableHost,
      message: "it is read-only (default_transaction_read_only)",
    });
    await opened(there({ hosts: [here], options: readOnly, targetSessionAttrs: "primary" }, {}, isPooled));
    await opened(there({ hosts: [here], targetSessionAttrs: "read-write" }, {}, isPooled));
  });

  test("one that becomes read-only is left", async () => {
    const client = await opened(there({ hosts: [here], targetSessionAttrs: "read-write" }));
    const ended = new Promise((resolve) => client.once("end", resolve));
    await client.query("set default_transaction_read_only = on").catch(() => {});
    await ended;
  });

  test("when none can be used, the error says why of each", async () => {
    const [one, other] = [await closedPlace(), await closedPlace()];
    await expect(there({ hosts: [one, other] }).open({})).rejects.toMatchObject({
      code: "ECONNREFUSED",
      message: expect.stringMatching(
        `^127.0.0.1:${one.port}: connect ECONNREFUSED .*; 127.0.0.1:${other.port}: connect ECONNREFUSED`,
      ),
    });
    const mixed = there({ hosts: [one, here], options: "-c default_transaction_read_only=on" });
    await expect(mixed.open({})).rejects.toMatchObject({
      code: noUsableHost,
      message: expect.stringMatching(/ECONNREFUSED.*; .*: it is read-only/),
    });
  });

  test("one that refuses the user ends the search: the password goes to no other", async () => {
    let asked = 0;
    const other = await listening(() => {
      asked += 1;
    });
    const connecting = there({ hosts: [here, other], user: "nobody_of_this_name", password: "wrong" });
    for (let times = 0; times < 2; times += 1) {
      await expect(connecting.open({})).rejects.toMatchObject({ code: expect.stringMatching(/^28/) });
    }
    expect(asked).toBe(0);
  });
});

describe("a password function", () => {
  test("is asked at every connection, and told for whom", async () => {
    const requests: PasswordRequest[] = [];
    const ask = async (request: PasswordRequest) => {
      requests.push(request);
      return decodeURIComponent(password);
    };
    const connecting = connector({ ...here, user, database, password: ask });
    await opened(connecting);
    await opened(connecting);
    const [urlWithout] = [db.url.replace(`:${password}@`, "@")];
    await opened(connector({ connectionString: urlWithout, password: ask }));
    expect(requests).toEqual(Array.from({ length: 3 }, () => ({ ...here, user, database })));
  });

  test.each<[string, () => string, string]>([
    [
      "throws",
      () => {
        throw new Error("no token today");
      },
      "no token today",
    ],
    ["returns nothing", () => undefined as unknown as string, "it returned no text"],
  ])("that %s fails the connection, which does not stay open", async (_what, ask, message) => {
    const client = new (connector({ ...here, user, database, password: ask }).Client)({});
    const ended = once(client, "end");
    await expect(client.connect()).rejects.toMatchObject({ code: passwordFailed, message });
    await ended;
  });
});
