import { randomUUID } from "node:crypto";
import { apiCaller, JobFactory, testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { served } from "../testing/served.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const sites = definePipeline("sites").stage("read", async () => "read");
const mails = definePipeline("mails").stage("send", async () => "sent");
const tokenOf = (name: string) => `a-token-of-the-tests-for-${name}`;
const { engine, server, stop } = served(db.url, {
  pipelines: [sites, mails],
  access: {
    tokens: [
      {
        user: "shop",
        rights: ["jobs.add", "jobs.read", "jobs.payload"],
        owner: "ada",
        token: tokenOf("ada"),
      },
      {
        user: "shop",
        rights: ["jobs.add", "jobs.read", "jobs.payload"],
        owner: "eve",
        token: tokenOf("eve"),
      },
      { user: "form", rights: ["jobs.add"], token: tokenOf("form") },
      { user: "otto", role: "operator", token: tokenOf("otto") },
    ],
  },
  addsPerSecond: null,
  writesPerSecond: null,
});
const call = apiCaller(server);

beforeEach(async () => {
  await db.reset();
  // The engine tells the database of its pipelines once.
  await factory.aPipeline("sites", ["read"]);
  await factory.aPipeline("mails", ["send"]);
});
afterAll(stop);

const add = (name: string, body: object, headers: Record<string, string> = {}) =>
  call("POST /jobs", { token: tokenOf(name), body: { pipeline: "sites", payload: {}, ...body }, headers });

const wait = { prefer: "wait=0" };

describe("the id of another owner's job", () => {
  const secrets = { payload: { card: "visa" }, tags: ["secret"], dedupKey: "hidden" };

  test.each(["pending", "cancelled"])(
    "that is %s is refused, and nothing is told of that job",
    async (status) => {
      const id = randomUUID();
      await add("ada", { ...secrets, id });
      if (status === "cancelled") await engine.cancel(id);
      for (const body of [
        { id },
        { id, pipeline: "mails" },
        { id, dedupKey: "k", dedup: { debounceMs: 1_000 } },
      ]) {
        const answer = await add("eve", body, wait);
        expect(answer).toMatchObject({ status: 409, body: { code: "job.id_taken" } });
        expect(JSON.stringify(answer.body)).not.toMatch(/visa|secret|hidden|"ada"|pending|cancelled/);
      }
      expect(await factory.read(id)).toMatchObject({ payload: secrets.payload, owner: "ada" });
    },
  );

  test("is answered to its own owner as often as it comes", async () => {
    const id = randomUUID();
    expect(await add("ada", { ...secrets, id })).toMatchObject({ status: 201, body: { id, created: true } });
    const again = await add("ada", { ...secrets, id }, wait);
    expect(again).toMatchObject({
      status: 200,
      body: { id, created: false, job: { payload: secrets.payload } },
    });
  });
});

test("whoever may add and not read is shown the jobs that they add, and not those that were there", async () => {
  const first = await add("form", { payload: { card: 4111 }, dedupKey: "k" }, wait);
  expect(first.body).toMatchObject({ created: true, job: { id: first.body.id } });
  const second = await add("form", { dedupKey: "k" }, wait);
  expect(second).toMatchObject({
    status: 200,
    body: { id: first.body.id, created: false, status: "pending" },
  });
  expect(second.body).not.toHaveProperty("job");
  const { body } = await add("otto", { dedupKey: "k" }, wait);
  expect(body).toMatchObject({ created: false, job: { payload: { card: 4111 } } });
});

test("one user's token of another owner gets an answer of its own under the same key, and its job is added", async () => {
  const body = { payload: { card: 4111 } };
  const key = { "idempotency-key": "k" };
  const hers = await add("ada", body, key);
  const theirs = await add("eve", body, key);
  expect([hers.status, theirs.status]).toEqual([201, 201]);
  expect(theirs.body.id).not.toBe(hers.body.id);
  expect(theirs.headers.get("idempotent-replayed")).toBeNull();
  expect(await factory.read(String(theirs.body.id))).toMatchObject({ owner: "eve" });
  const again = await add("ada", body, key);
  expect(again.body).toEqual(hers.body);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

test("an owner's access puts jobs into the owner's group or none, one or many", async () => {
  const group = { status: 403, body: { code: "owner.bound", detail: expect.stringContaining("groupKey") } };
  expect(await add("eve", { groupKey: "ada" })).toMatchObject(group);
  const jobs = [{ payload: 1 }, { payload: 2, groupKey: "eve/2" }];
  const many = await call("POST /jobs", { token: tokenOf("eve"), body: { pipeline: "sites", jobs } });
  expect(many).toMatchObject(group);
  expect((await add("eve", { groupKey: "eve" })).status).toBe(201);
  expect((await add("eve", {})).status).toBe(201);
  expect((await add("otto", { groupKey: "ada" })).status).toBe(201);
  expect(await db.query("select owner, group_key from lockstep.jobs order by id")).toEqual([
    { owner: "eve", group_key: "eve" },
    { owner: "eve", group_key: null },
    { owner: null, group_key: "ada" },
  ]);
});

test("the engine refuses a foreign id wherever jobs are added, and keeps all that came with it out", async () => {
  const id = randomUUID();
  await engine.add(sites, "hers", { id, owner: "ada" });
  const refused = { name: "RefusedError", code: "LS008" };
  const good = { payload: "good" };
  const bad = { payload: "bad", id };
  await expect(engine.add(sites, "bad", { id })).rejects.toMatchObject(refused);
  await expect(engine.addMany(mails, [good, bad, good])).rejects.toMatchObject(refused);
  await expect(engine.addBatch(mails, [good, bad])).rejects.toMatchObject(refused);
  const tx = await db.connect();
  await tx.query("begin");
  await expect(engine.add(mails, "bad", { id, tx })).rejects.toMatchObject(refused);
  await tx.query("rollback");
  await tx.end();
  expect(await db.query("select payload from lockstep.jobs")).toEqual([{ payload: "hers" }]);
  expect(await engine.add(sites, "again", { id, owner: "ada" })).toMatchObject({ id, created: false });
});
