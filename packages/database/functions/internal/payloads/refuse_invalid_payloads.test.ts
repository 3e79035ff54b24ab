import { randomUUID } from "node:crypto";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const payloadSchema = {
  type: "object",
  properties: { page: { type: "integer" } },
  required: ["page"],
};

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("pages", ["read"], { payloadSchema });
  await jobs.aPipeline("orders", ["read"]);
});

const jobCount = async () => (await db.query("select from lockstep.jobs")).length;
const refused = (detail: string) => ({ code: "LS009", message: expect.stringContaining(detail) });

describe("a payload that the pipeline's schema does not take is refused:", () => {
  const good = { pipeline: "pages", payload: { page: 1 } };
  const bad = { pipeline: "pages", payload: { page: "one" } };

  test("by add_job, with the place and what is expected", async () => {
    await expect(
      db.call("add_job", { p_pipeline: "pages", p_payload: { page: "one" } }),
    ).rejects.toMatchObject({
      code: "LS009",
      message:
        'Job 1 of 1 cannot be added: its payload does not fit the schema of pipeline "pages": /page must be of type integer, not string.',
    });
    await expect(db.call("add_job", { p_pipeline: "pages" })).rejects.toMatchObject(
      refused("it must be of type object, not null"),
    );
    expect(await jobCount()).toBe(0);
  });

  test.each([
    ["alone", {}],
    ["with a key", { dedupKey: "k" }],
    ["debounced", { dedupKey: "k", dedup: { debounceMs: 1_000 } }],
    ["with an id of its own", { id: randomUUID() }],
  ])("by add_jobs, %s among others, and none is added", async (_how, more) => {
    const list = [good, { pipeline: "orders", payload: "any" }, { ...bad, ...more }, good];
    await expect(db.call("add_jobs", { p_jobs: list })).rejects.toMatchObject(refused("Job 3 of 4"));
    expect(await jobCount()).toBe(0);
    expect(await db.call("add_jobs", { p_jobs: [...list.slice(0, 2), { ...good, ...more }] })).toHaveLength(
      3,
    );
  });

  test("by add_jobs_of_pipeline", async () => {
    const add = (page: unknown) =>
      db.call("add_jobs_of_pipeline", {
        p_pipeline: "pages",
        p_ids: [randomUUID(), randomUUID()],
        p_payloads: [{ page: 1 }, { page }],
      });
    await expect(add("two")).rejects.toMatchObject(refused("Job 2 of 2"));
    expect(await jobCount()).toBe(0);
    await add(2);
    expect(await jobCount()).toBe(2);
  });

  test("for the job that follows a batch, and for a schedule's tick", async () => {
    await expect(db.call("open_batch", { p_follower: bad })).rejects.toMatchObject(refused("/page"));
    await db.value("set_schedule", { p_name: "s", p_pipeline: "pages", p_cron: "* * * * *", p_payload: {} });
    const [due] = await db.call<{ revision: string }>("due_schedules", { p_pipelines: ["pages"] });
    const fire = {
      p_name: "s",
      p_revision: due?.revision,
      p_due: null,
      p_tick: new Date(0),
      p_next: new Date(),
    };
    await expect(db.call("fire_schedule", fire)).rejects.toMatchObject(refused("/page is required"));
  });

  test("not where its own validator has taken it before", async () => {
    await db.call("add_jobs", { p_jobs: [bad], p_payloads_are_checked: true });
    await db.call("add_jobs_of_pipeline", {
      p_pipeline: "pages",
      p_ids: [randomUUID()],
      p_payloads: [{ page: "one" }],
      p_payloads_are_checked: true,
    });
    expect(await jobCount()).toBe(2);
  });

  test("also where no predicate was made of the schema, with the same words", async () => {
    const words = "/page must be of type integer, not string.";
    await expect(db.call("add_jobs", { p_jobs: [good, bad] })).rejects.toMatchObject(refused(words));
    await db.query("update lockstep.pipelines set payload_predicate = null");
    await expect(db.call("add_jobs", { p_jobs: [good, bad] })).rejects.toMatchObject(refused(words));
    expect(await db.call("add_jobs", { p_jobs: [good] })).toHaveLength(1);
  });

  test("by walking it only where the predicate does not take it", async () => {
    // A schema that refuses everything stands beside the predicate of the other: who asks it is refused.
    await db.query("update lockstep.pipelines set payload_schema = 'false' where name = 'pages'");
    expect(await db.call("add_jobs", { p_jobs: [good] })).toHaveLength(1);
    await expect(db.call("add_jobs", { p_jobs: [good, bad] })).rejects.toMatchObject(refused("Job 2 of 2"));
  });

  test("by the predicate of the last definition, which a pipeline without a schema has not", async () => {
    const has = async () =>
      (
        await db.query(
          "select from lockstep.pipelines where name = 'pages' and payload_predicate is not null",
        )
      ).length;
    expect(await has()).toBe(1);
    await jobs.aPipeline("pages", ["read"], { payloadSchema: { type: "string" } });
    await expect(db.call("add_jobs", { p_jobs: [good] })).rejects.toMatchObject(refused("type string"));
    await jobs.aPipeline("pages", ["read"]);
    expect(await has()).toBe(0);
    expect(await db.call("add_jobs", { p_jobs: [good, bad] })).toHaveLength(2);
  });
});
