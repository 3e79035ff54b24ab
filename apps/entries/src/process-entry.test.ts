import { runRetention, testDatabase } from "@lockstep/test-support";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { databaseClients } from "./database/database-client.ts";
import { migrateEntries } from "./database/migrate-entries.ts";
import { EntriesProcess } from "./entries-process.ts";
import { createEntry } from "./services/create-entry.ts";
import { retryEntry } from "./services/retry-entry.ts";

const database = testDatabase();
let entries: EntriesProcess;

beforeAll(() => migrateEntries(database.url));

describe.each(databaseClients)("with %s", (databaseClient) => {
  beforeEach(async () => {
    await database.reset();
    await database.query("truncate entries, entry_follower");
    entries = new EntriesProcess({
      databaseUrl: database.url,
      databaseClient,
      tokenSecret: null,
      worksInServer: true,
      stageWorkMs: 200,
      hosts: [],
      connections: 3,
    });
  });
  afterEach(async () => {
    expect(await entries.engine.verify()).toEqual([]);
    await entries.stop();
  });

  const rowOf = (id: string) => entries.store.find(id);
  const until = (id: string, status: string) =>
    vi.waitFor(async () => expect(await rowOf(id)).toMatchObject({ status }), {
      timeout: 15_000,
      interval: 50,
    });

  test("an entry goes through its stages and keeps its result", async () => {
    const { id } = await createEntry(entries, { title: "My task" });
    await entries.work();
    await until(id, "COMPLETED");
    expect(await rowOf(id)).toMatchObject({
      progress: 100,
      result: expect.stringMatching(/^Processed at \d{4}-/),
    });
  });

  test("the entry says STAGE_1 exactly when the first stage is done", async () => {
    const { id } = await createEntry(entries, { title: "My task" });
    await entries.engine.pause("process-entry", "stage-2");
    await entries.work();
    await until(id, "STAGE_1");
    const row = await rowOf(id);
    expect(row).toMatchObject({ progress: 33, result: null });
    expect(await entries.engine.get(row?.jobId as never)).toMatchObject({
      stage: "stage-2",
      status: "pending",
    });
  });

  test("a stage that cannot write to the entry does not end", async () => {
    const { id } = await createEntry(entries, { title: "My task" });
    await database.query(
      "alter table entries add constraint stays check (status = 'CREATED' or status = 'FAILED')",
    );
    await entries.work();
    const row = await rowOf(id);
    await vi.waitFor(
      async () => expect(await entries.engine.get(row?.jobId as never)).toMatchObject({ status: "retrying" }),
      { timeout: 15_000, interval: 50 },
    );
    await database.query("alter table entries drop constraint stays");
    expect(await entries.engine.get(row?.jobId as never)).toMatchObject({ stage: "stage-1" });
    expect(await rowOf(id)).toMatchObject({ status: "CREATED", progress: 0 });
  });

  test("an entry whose stage throws is FAILED with the error", async () => {
    const { id } = await createEntry(entries, { title: "fail: on purpose" });
    await entries.work();
    await until(id, "FAILED");
    expect(await rowOf(id)).toMatchObject({
      progress: 0,
      result: 'Error: There is no way to process "fail: on purpose"',
    });
  });

  test("an entry whose job fails a second time tells of the second error", async () => {
    const { id } = await createEntry(entries, { title: "fail: once" });
    await entries.work();
    await until(id, "FAILED");
    await database.query("update entries set title = 'fail: twice'");
    await entries.engine.retry((await rowOf(id))?.jobId as never);
    await vi.waitFor(
      async () => expect(await rowOf(id)).toMatchObject({ result: expect.stringContaining("twice") }),
      {
        timeout: 15_000,
        interval: 50,
      },
    );
  });

  test("a job does not fail without its entry", async () => {
    const { id } = await createEntry(entries, { title: "fail: on purpose" });
    await database.query("alter table entries add constraint never_fails check (status <> 'FAILED')");
    await entries.work();
    const jobId = (await rowOf(id))?.jobId as never;
    await vi.waitFor(
      async () => expect(await entries.engine.get(jobId)).toMatchObject({ status: "retrying" }),
      { timeout: 15_000, interval: 50 },
    );
    await database.query("alter table entries drop constraint never_fails");
    expect(await rowOf(id)).toMatchObject({ status: "CREATED" });
  });

  test("an entry that cannot be told of its job's end is told as soon as it can", async () => {
    const { id } = await createEntry(entries, { title: "My task" });
    await entries.engine.cancel((await rowOf(id))?.jobId as never);
    await database.query("alter table entries add constraint never_fails check (status <> 'FAILED')");
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await entries.work();
    const complaint = expect.stringContaining("The ends of jobs could not be written to their entries");
    await vi.waitFor(() => expect(said).toHaveBeenCalledWith(complaint), { timeout: 15_000 });
    said.mockRestore();
    await database.query("alter table entries drop constraint never_fails");
    await until(id, "FAILED");
  });

  test("after an absence longer than the log is kept, entries are compared with their jobs", async () => {
    const { id } = await createEntry(entries, { title: "My task" });
    const { value } = await entries.engine.readEvents({ after: "start" }).next();
    await database.query("insert into entry_follower (cursor) values ($1)", [value?.cursor]);
    await entries.engine.cancel((await rowOf(id))?.jobId as never);
    await runRetention(database, { p_keep_events: "1 day", p_now: new Date(Date.now() + 3 * 86_400_000) });
    expect(await database.query("select 1 from lockstep.events")).toEqual([]);
    await entries.work();
    await until(id, "FAILED");
  });

  test("an entry whose job is cancelled while nobody works on it is told when somebody does", async () => {
    const { id } = await createEntry(entries, { title: "My task" });
    const row = await rowOf(id);
    await entries.engine.cancel(row?.jobId as never);
    await entries.work();
    await until(id, "FAILED");
    expect(await rowOf(id)).toMatchObject({ result: "Error: it was cancelled" });
  });

  test("a stage whose claim was lost leaves the entry as it was", async () => {
    const { id } = await createEntry(entries, { title: "My task" });
    // Between the work and the transaction that ends the stage.
    entries.engine.on("job.started", ({ jobId }) => {
      void database.query(
        `update lockstep.jobs set claim_token = gen_random_uuid(), held_by = worker_id
       where id = $1`,
        [jobId],
      );
    });
    const lost = new Promise((resolve) => entries.engine.on("claim.lost", resolve));
    await entries.work();
    await lost;
    expect(await rowOf(id)).toMatchObject({ status: "CREATED", progress: 0 });
  });

  test("a failed entry that is retried shows what it was, and goes on from the stage in which it failed", async () => {
    const { id } = await createEntry(entries, { title: "My task" });
    await entries.engine.pause("process-entry", "stage-2");
    await entries.work();
    await until(id, "STAGE_1");
    await database.query("update entries set title = 'fail: later'");
    await entries.engine.resume("process-entry", "stage-2");
    await until(id, "FAILED");
    await entries.engine.pause("process-entry", "stage-2");
    await database.query("update entries set title = 'My task'");
    expect(await retryEntry(entries, id)).toBe("retried");
    expect(await rowOf(id)).toMatchObject({ status: "STAGE_1", progress: 33, result: null });
    expect(await retryEntry(entries, id)).toBe("not_failed");
    await entries.engine.resume("process-entry", "stage-2");
    await until(id, "COMPLETED");
  });

  test("a retry leaves alone what a faster worker has written meanwhile", async () => {
    const { id } = await createEntry(entries, { title: "fail: once" });
    await entries.work();
    await until(id, "FAILED");
    const { store, engine } = entries;
    await database.query("update entries set title = 'My task'");
    // The worker completes the entry between the retry of its job and the note of it.
    const slow = {
      engine,
      store: {
        find: (entryId: string) => store.find(entryId),
        replace: async (...change: Parameters<typeof store.replace>) => {
          await until(id, "COMPLETED");
          return await store.replace(...change);
        },
      },
    };
    expect(await retryEntry(slow, id)).toBe("retried");
    expect(await rowOf(id)).toMatchObject({ status: "COMPLETED", progress: 100 });
  });
});
