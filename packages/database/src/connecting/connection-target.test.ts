import pg from "pg";
import { describe, expect, test } from "vitest";
import type { ConnectionConfig, ConnectionOptions } from "./connection-options.ts";
import { connectionTarget } from "./connection-target.ts";

function target(options: object) {
  return connectionTarget(options as ConnectionOptions, (sentence) => new Error(sentence));
}

function hostsOf(databaseUrl: string): (string | undefined)[] {
  return target({ databaseUrl }).hosts.map(({ connectionString }) => connectionString);
}

describe("a URL", () => {
  test("of one host is left to the driver as it is", () => {
    const url = "postgres://me:p%40@db:6432/app?sslmode=verify-full&options=-c%20geqo%3Doff";
    expect(target({ databaseUrl: url })).toMatchObject({
      hosts: [{ connectionString: url }],
      accepts: "any",
      password: null,
    });
  });

  test.each<[string, string[]]>([
    ["postgres://me:p@a,b:5433/app", ["postgres://me:p@a/app", "postgres://me:p@b:5433/app"]],
    ["postgres://a:1,[::1]:2/app?x=1", ["postgres://a:1/app?x=1", "postgres://[::1]:2/app?x=1"]],
    [
      "postgres://me@/app?host=a,/run/pg&port=1,2&sslmode=disable",
      [
        "postgres://me@/app?sslmode=disable&host=a&port=1",
        "postgres://me@/app?sslmode=disable&host=%2Frun%2Fpg&port=2",
      ],
    ],
    ["postgres:///app?host=a,b&port=7", ["postgres:///app?host=a&port=7", "postgres:///app?host=b&port=7"]],
  ])("of several hosts becomes one of each: %s", (url, urls) => {
    expect(hostsOf(url)).toEqual(urls);
    for (const one of urls)
      expect(new pg.Client({ connectionString: one }).host).toMatch(/^(a|b|::1|\/run\/pg)$/);
    expect(target({ databaseUrl: url }).accepts).toBe("read-write");
  });

  test.each<[string, string]>([
    ["postgres://a,b/app?target_session_attrs=any", "any"],
    ["postgres://a,b/app?target_session_attrs=primary", "primary"],
    ["postgres://a/app?target_session_attrs=read-write", "read-write"],
  ])("says what a server must be: %s", (databaseUrl, accepts) => {
    expect(target({ databaseUrl }).accepts).toBe(accepts);
  });

  test("with a comma in its password has one host", () => {
    expect(hostsOf("postgres://me:a,b@db/app")).toEqual(["postgres://me:a,b@db/app"]);
  });
});

describe("parts", () => {
  test("of one server", () => {
    const connection: ConnectionConfig = {
      host: "/run/pg",
      port: 6000,
      user: "me",
      database: "app",
      password: "p",
    };
    expect(target({ connection })).toMatchObject({ hosts: [connection], accepts: "any", password: null });
  });

  test("of several have the rest in common, and a port of their own or that of all", () => {
    const connection: ConnectionConfig = {
      hosts: [{ host: "a" }, { host: "b", port: 2 }],
      port: 1,
      user: "me",
    };
    expect(target({ connection })).toMatchObject({
      hosts: [
        { host: "a", port: 1, user: "me" },
        { host: "b", port: 2, user: "me" },
      ],
      accepts: "read-write",
    });
  });

  test("keep the key of a certificate that the driver has hidden in another's object", () => {
    const ssl = { ca: "authority", cert: "mine", key: "secret" };
    const pool = new pg.Pool({ host: "db", ssl });
    expect(Object.keys(ssl)).not.toContain("key");
    for (const options of [{ pool }, { connection: { ssl } }]) {
      expect(target(options).hosts[0]?.ssl).toEqual({ ca: "authority", cert: "mine", key: "secret" });
      expect(Object.keys(target(options).hosts[0]?.ssl ?? {})).toContain("key");
    }
  });

  test("may stand beside a URL that lacks them", () => {
    const password = () => "token";
    const connection = { connectionString: "postgres://me@a,b/app", ssl: { ca: "authority" }, password };
    expect(target({ connection })).toMatchObject({
      hosts: [
        { connectionString: "postgres://me@a/app", ssl: { ca: "authority" } },
        { connectionString: "postgres://me@b/app", ssl: { ca: "authority" } },
      ],
      password,
    });
  });

  test.each<[object, string]>([
    [{ host: "a", hosts: [{ host: "b" }] }, "connection has host and hosts: give one of them."],
    [{ hosts: [] }, "connection has hosts that cannot be used"],
    [{ hosts: ["a"] }, "connection has hosts that cannot be used"],
    [{ hosts: [{ host: "a", port: "x" }] }, "connection has a port among its hosts that is no number"],
    [{ host: 7 }, "connection has a host that is no text."],
    [{ port: 65_536 }, "connection has a port that is no number from 1 to 65535."],
    [{ password: 7 }, "connection has a password that is neither a text nor a function."],
    [{ ssl: "on" }, "connection has an ssl that is neither true, false nor an object."],
    [{ ssl: { checkServerIdentity: () => undefined } }, "connection has an ssl with a function in it"],
    [{ targetSessionAttrs: "standby" }, "connection has a targetSessionAttrs that cannot be used"],
    [
      { connectionString: "mysql://a:s3cret@b" },
      "connection has a connectionString that must begin with postgres://",
    ],
    [
      { connectionString: "postgres://a/b", user: "me" },
      "connection has connectionString and user: give one",
    ],
    [{ connectionString: "postgres://me:s3cret@a/b", password: "x" }, "a password beside the one in its"],
    [{ connectionString: "postgres://a/b?sslmode=disable", ssl: true }, "has ssl beside the ssl parameters"],
  ])("that cannot be used are refused with a sentence: %j", (connection, sentence) => {
    expect(() => target({ connection })).toThrow(sentence);
    expect(() => target({ connection })).not.toThrow("s3cret");
  });
});

describe("a pool", () => {
  test("leads where its connections do", () => {
    const pool = new pg.Pool({ host: "db", port: 7, user: "me", database: "app", password: "p" });
    expect(target({ pool }).hosts).toEqual([
      { host: "db", port: 7, user: "me", database: "app", password: "p" },
    ]);
    const password = async () => "token";
    expect(target({ pool: new pg.Pool({ host: "db", password }) })).toMatchObject({ password });
    const url = "postgres://me:p@db/app";
    const asDriver = new pg.Pool({ connectionString: url, host: "elsewhere" });
    expect(target({ pool: asDriver }).hosts).toEqual([{ connectionString: url }]);
  });

  test.each<[object, string]>([
    [{ max: 1 }, "pool may open one connection only"],
    [{ stream: () => undefined }, "pool makes its sockets with a function (stream)"],
    [{ ssl: { checkServerIdentity: () => undefined } }, "pool has an ssl with a function in it"],
  ])("that cannot be followed is refused: %o", (options, sentence) => {
    expect(() => target({ pool: new pg.Pool(options) })).toThrow(sentence);
  });
});

test("nothing, or two, is refused", () => {
  expect(() => target({})).toThrow("Say where PostgreSQL is: give databaseUrl");
  expect(() => target({ databaseUrl: "postgres://a/b", connection: {} })).toThrow(
    "Give only one of databaseUrl and connection",
  );
});

test("targets have the same key if they lead to the same place in the same way", () => {
  const [one, other] = [() => "a", () => "a"];
  const key = (password: () => string) => target({ connection: { host: "db", password } }).key;
  expect(key(one)).toBe(key(one));
  expect(key(one)).not.toBe(key(other));
  expect(target({ databaseUrl: "postgres://a/b" }).key).toBe(target({ databaseUrl: "postgres://a/b" }).key);
});
