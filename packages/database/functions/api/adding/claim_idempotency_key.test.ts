import { noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();

beforeEach(() => db.reset());

const claimText = "select state, answer from lockstep.claim_idempotency_key($1, $2, $3)";
const claim = async (client: pg.Client, user: string, key: string, hash = "hash") =>
  (await client.query(claimText, [user, key, hash])).rows[0];
const keep = (client: pg.Client, user: string, key: string, answer: string) =>
  client.query("select lockstep.keep_answer($1, $2, 'hash', $3)", [user, key, answer]);

test("a kept answer comes back as it was given, to the same request of the same user", async () => {
  const client = await db.connect();
  await client.query("begin");
  expect(await claim(client, "ada", "k")).toEqual({ state: "claimed", answer: null });
  await keep(client, "ada", "k", '{"z":1,"a":"\\u0000"}');
  await client.query("commit");
  const { state, answer } = await claim(client, "ada", "k");
  expect([state, JSON.stringify(answer)]).toEqual(["replayed", '{"z":1,"a":"\\u0000"}']);
  expect(await claim(client, "ada", "k", "other")).toEqual({ state: "reused", answer: null });
  expect(await claim(client, "bob", "k")).toEqual({ state: "claimed", answer: null });
});

test("a key of one user is another one for each owner that the user acts for", async () => {
  const key = { p_user: "shop", p_key: "k", p_request_hash: "hash" };
  await db.value("keep_answer", { ...key, p_answer: 1, p_owner: "ada" });
  const stateFor = async (p_owner: string | null) =>
    (await db.call("claim_idempotency_key", { ...key, p_owner }))[0];
  expect(await stateFor("ada")).toEqual({ state: "replayed", answer: 1 });
  expect(await stateFor("eve")).toEqual({ state: "claimed", answer: null });
  expect(await stateFor(null)).toEqual({ state: "claimed", answer: null });

  const [first, second] = [await db.connect(), await db.connect()];
  const claimFor = async (client: pg.Client, owner: string) =>
    (
      await client.query("select state from lockstep.claim_idempotency_key('shop', 'new', 'hash', $1)", [
        owner,
      ])
    ).rows[0];
  await first.query("begin");
  expect(await claimFor(first, "ada")).toEqual({ state: "claimed" });
  expect(await claimFor(second, "eve")).toEqual({ state: "claimed" });
  expect(await claimFor(second, "ada")).toEqual({ state: "in_use" });
  await first.query("rollback");
});

test("a key that is being answered is in use, and nobody waits for it", async () => {
  const [first, second] = [await db.connect(), await db.connect()];
  await first.query("begin");
  await claim(first, "ada", "k");
  expect(await claim(second, "ada", "k")).toEqual({ state: "in_use", answer: null });
  expect(await claim(second, "ada", "other")).toMatchObject({ state: "claimed" });
  await first.query("rollback");
  expect(await claim(second, "ada", "k")).toMatchObject({ state: "claimed" });
});

test("a key is free again when its time is over, before it is deleted", async () => {
  const at = (seconds: number) => secondsAfter(noon, seconds);
  const key = { p_user: "ada", p_key: "k" };
  await db.value("keep_answer", { ...key, p_request_hash: "h", p_answer: 1, p_now: noon });
  const claimAt = (seconds: number, hash: string) =>
    db.call("claim_idempotency_key", { ...key, p_request_hash: hash, p_now: at(seconds) });
  expect(await claimAt(86_399, "h")).toEqual([{ state: "replayed", answer: 1 }]);
  expect(await claimAt(86_401, "new")).toEqual([{ state: "claimed", answer: null }]);
  await db.value("keep_answer", { ...key, p_request_hash: "new", p_answer: 2, p_now: at(86_401) });
  expect(await claimAt(86_402, "new")).toEqual([{ state: "replayed", answer: 2 }]);
});

test.each([
  ["", "k", "h"],
  ["ada", "", "h"],
  ["ada", "k".repeat(256), "h"],
  ["ada", "k", ""],
])("the user %j with the key %.10j and the hash %j is refused", async (user, key, hash) => {
  const client = await db.connect();
  await expect(claim(client, user, key, hash)).rejects.toMatchObject({ code: "LS001" });
});
