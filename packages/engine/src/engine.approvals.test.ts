import { testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createEngine, type Engine } from "./engine.ts";
import { definePipeline } from "./jobs/pipelines/pipeline.ts";

const db = testDatabase();
beforeEach(() => db.reset());

const baseUrl = "https://example.com/lockstep/";
const tokenSecret = "a secret of more than thirty-two characters";
const expense = definePipeline<{ amount: number }>("expense")
  .stage("check", ({ payload }) => ({ looksGood: payload.amount < 100 }))
  .wait("approval", { signal: z.object({ approved: z.boolean() }), notBy: "owner" })
  .stage("pay", ({ output }) => output.approved);

function anEngine(settings: { readonly tokenSecret?: string } = { tokenSecret }): Engine {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [expense], connections: 3, ...settings });
  onTestFinished(() => engine.stop());
  return engine;
}

/** A job that waits for its approval, and the token of a link for it. */
async function waiting(engine: Engine, by = "ada"): Promise<{ id: string; token: string }> {
  const { id } = await engine.add(expense, { amount: 7 }, { owner: "ann" });
  await engine.start();
  await expect
    .poll(async () => (await engine.get(id))?.wait?.signal ?? null, { timeout: 10_000 })
    .toBe("approval");
  return { id, token: await tokenOf(engine, id, by) };
}

async function tokenOf(engine: Engine, id: string, by = "ada", expiresInMs = 60_000): Promise<string> {
  const link = await engine.approvalLink(id, "approval", { by, expiresInMs, baseUrl });
  expect(link).toMatch(/^https:\/\/example\.com\/lockstep\/approvals\/la1\.[\w-]+\.[\w-]{43}$/);
  return link.split("/").at(-1) as string;
}

describe("an approval link", () => {
  test("says what it asks, and decides it once, in the name of whom it was made for", async () => {
    const engine = anEngine();
    const { id, token } = await waiting(engine);
    expect(await engine.approval(token)).toMatchObject({
      jobId: id,
      wait: "approval",
      by: "ada",
      isCurrent: true,
      stages: ["check"],
      schema: { type: "object" },
      job: { payload: { amount: 7 }, outputs: { check: { looksGood: true } } },
    });
    expect(await engine.decide(token, { approved: true })).toEqual({ answer: "signalled", jobId: id });
    expect(await engine.decide(token, { approved: false })).toEqual({
      answer: "already_signalled",
      jobId: id,
    });
    expect(await engine.result(id, { timeoutMs: 10_000 })).toBe(true);
    expect(await engine.recordedActions()).toMatchObject([
      { user: "ada", action: "jobs.signal", target: `jobs/${id}`, outcome: "already_signalled" },
      { user: "ada", action: "jobs.signal", target: `jobs/${id}`, outcome: "signalled" },
    ]);
  });

  test("made before the job has come to the wait holds when it is there", async () => {
    const engine = anEngine();
    const { id } = await engine.add(expense, { amount: 7 });
    const token = await tokenOf(engine, id);
    expect(await engine.decide(token, { approved: true })).toEqual({ answer: "kept", jobId: id });
    await engine.start();
    expect(await engine.result(id, { timeoutMs: 10_000 })).toBe(true);
  });

  test("does not decide on a job that was retried since", async () => {
    const engine = anEngine();
    const { id, token } = await waiting(engine);
    await engine.cancel(id);
    await engine.retry(id, { fromStage: "check" });
    expect((await engine.approval(token)).isCurrent).toBe(false);
    expect(await engine.decide(token, { approved: true })).toEqual({ answer: "changed", jobId: id });
  });

  test("does not let the owner of the job decide, where the wait says so", async () => {
    const engine = anEngine();
    const { token } = await waiting(engine, "ann");
    expect(await engine.decide(token, { approved: true })).toMatchObject({ answer: "not_allowed" });
  });

  test("is refused when it was changed, signed by another secret, of another kind, or is over", async () => {
    const engine = anEngine();
    const { id, token } = await waiting(engine);
    const [kind, said = "", signed] = token.split(".");
    const other = Buffer.from(Buffer.from(said, "base64url").toString().replace('"ada"', '"eve"'));
    await expect(engine.decide(`${kind}.${other.toString("base64url")}.${signed}`, {})).rejects.toThrow(
      "This link was not made here",
    );
    const stranger = anEngine({ tokenSecret: "another secret of more than thirty-two characters" });
    await expect(stranger.approval(token)).rejects.toThrow("This link was not made here");
    const ofJob = engine.jobToken(id, { expiresInMs: 60_000 });
    await expect(engine.decide(ofJob, {})).rejects.toThrow("This link was not made here");
    expect(() => engine.tokenScope(token)).toThrow("This token was not made here");
    const brief = await tokenOf(engine, id, "ada", 1);
    await expect.poll(() => engine.decide(brief, {}).catch((error) => error.message)).toMatch(/has expired/);
  });

  test("cannot be made without a secret, for another wait, or for a job that has ended", async () => {
    const options = { by: "ada", expiresInMs: 60_000, baseUrl };
    const engine = anEngine();
    const { id } = await engine.add(expense, { amount: 7 });
    const without = anEngine({});
    await expect(without.approvalLink(id, "approval", options)).rejects.toThrow("tokenSecret");
    await expect(engine.approvalLink(id, "check", options)).rejects.toThrow('has no wait "check"');
    await expect(engine.approvalLink(id, "approval", { ...options, by: "" })).rejects.toThrow("`by`");
    await expect(engine.approvalLink(id, "approval", { ...options, baseUrl: "x" })).rejects.toThrow(
      "baseUrl",
    );
    await engine.cancel(id);
    await expect(engine.approvalLink(id, "approval", options)).rejects.toThrow("has ended");
  });
});

describe("a signal key", () => {
  const keyed = definePipeline<{ order: string }>("keyed")
    .stage("place", async ({ payload, signalKey }) => {
      await signalKey(`shop ${payload.order}`);
      return null;
    })
    .wait("paid", { signal: z.number() })
    .stage("ship", ({ output }) => output);

  test("finds a job for those who do not know its id, given by the add or by a handler", async () => {
    const engine = createEngine({ databaseUrl: db.url, pipelines: [keyed], connections: 3 });
    onTestFinished(() => engine.stop());
    const { id } = await engine.add(keyed, { order: "7" }, { signalKey: "order 7" });
    const other = await engine.add(keyed, { order: "8" });
    expect(await engine.signalByKey(keyed, "order 7", "paid", 5)).toEqual({ answer: "kept", jobId: id });
    expect(await engine.signalByKey("keyed", "order 9", "paid", 5)).toEqual({
      answer: "not_found",
      jobId: null,
    });
    await engine.start();
    expect(await engine.result(id, { timeoutMs: 10_000 })).toBe(5);
    // Kept, if it comes between the handler that sets the key and the wait.
    await expect
      .poll(async () => (await engine.signalByKey(keyed, "shop 8", "paid", 6)).answer, { timeout: 10_000 })
      .not.toBe("not_found");
    expect(await engine.result(other.id, { timeoutMs: 10_000 })).toBe(6);
  });

  test("belongs to one live job, and to the next when that has ended", async () => {
    const engine = createEngine({ databaseUrl: db.url, pipelines: [keyed], connections: 3 });
    onTestFinished(() => engine.stop());
    const { id } = await engine.add(keyed, { order: "7" }, { signalKey: "order 7" });
    await expect(engine.add(keyed, { order: "7" }, { signalKey: "order 7" })).rejects.toThrow(
      `Signal key "order 7" of pipeline "keyed" belongs to job ${id}, which is live.`,
    );
    await engine.cancel(id);
    const next = await engine.add(keyed, { order: "7" }, { signalKey: "order 7" });
    expect(await engine.signalByKey(keyed, "order 7", "paid", 5)).toEqual({
      answer: "kept",
      jobId: next.id,
    });
  });
});
