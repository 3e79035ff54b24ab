import { randomUUID } from "node:crypto";
import { forgetClaims } from "@lockstep/test-support";
import { describe, expect, test } from "vitest";
import { schedulersOnDatabase } from "../../test-support/scheduler-setup.ts";

const { db, stores, aWorker, jobs } = schedulersOnDatabase();

describe("claiming", () => {
  test("holds a claim's token from the claim until its end is confirmed", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    const [row] = await db.query<{ token: string }>("select claim_token as token from lockstep.jobs");
    const token = String(row?.token);
    expect(worker.held.has(String(id), token)).toBe(true);
    expect(worker.held.isEmpty).toBe(false);
    expect(worker.held.has(String(id), randomUUID())).toBe(false);
    expect(worker.held.has(randomUUID(), token)).toBe(false);
    await worker.end(String(id));
    expect(worker.held.has(String(id), token)).toBe(false);
  });
});

describe("when PostgreSQL has crashed and forgotten claims", () => {
  test("it presents all it holds before it claims more, and each job ends under its first claim", async () => {
    const worker = await aWorker({ options: { processors: 5 } });
    const ids = await jobs(3);
    await worker.start();
    await forgetClaims(db);
    const [later] = await jobs(1);
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.presented).toEqual([ids]);
    expect(worker.claimsLost).toEqual([]);
    expect(worker.asked.doubt).toBe(1);
    expect(worker.running()).toEqual([...ids, later]);
    for (const id of ids) await worker.end(id);
    expect(worker.told.all("job.completed")).toHaveLength(3);
    for (const id of ids) expect((await stores.jobs.get(id))?.attempts).toHaveLength(1);
  });

  test("it tells which of its jobs others have now", async () => {
    const worker = await aWorker({ options: { processors: 5 } });
    const [kept, taken] = await jobs(2);
    await worker.start();
    await forgetClaims(db);
    await db.value("cancel_job", { p_id: taken });
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.claimsLost).toEqual([taken]);
    await worker.end(String(taken));
    await worker.end(String(kept));
    expect(worker.told.all("claim.lost")).toMatchObject([{ jobId: taken, status: "cancelled" }]);
    expect(worker.told.all("job.completed")).toMatchObject([{ jobId: kept }]);
  });
});
