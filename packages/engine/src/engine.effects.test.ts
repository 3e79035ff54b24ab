import { testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { InvalidJobIdError } from "./client/results/result-errors.ts";
import { createEngine } from "./engine.ts";
import { UnknownOutcomeError } from "./jobs/outcomes/unknown-outcome-error.ts";
import { definePipeline } from "./jobs/pipelines/pipeline.ts";

const db = testDatabase();

test("an effect is shown, confirmed and forgotten by the id of its job, and a retry by hand heeds that", async () => {
  const sent: string[] = [];
  const letters = definePipeline("letters")
    .stage("write", ({ once }) => once("draw a number", () => 7))
    .stage("send", { retry: { kind: "constant", baseMs: 1 } }, async ({ once, output }) => {
      const receipt = await once(
        "sms",
        ({ idempotencyKey }) => {
          sent.push(idempotencyKey);
          if (sent.length === 1) throw new UnknownOutcomeError("the provider did not answer");
          return `sent ${sent.length}`;
        },
        { unknown: "fail" },
      );
      return { number: output, receipt };
    });
  const engine = createEngine({ databaseUrl: db.url, pipelines: [letters], logger: null });
  onTestFinished(() => engine.stop());
  await engine.start();

  const { id } = await engine.add(letters, null);
  await expect(engine.result(id, { timeoutMs: 20_000 })).rejects.toThrow(
    'It is not known whether effect "sms"',
  );
  expect(await engine.effects(id)).toMatchObject([
    { key: "draw a number", state: "done", value: 7, starts: 1 },
    { key: "sms", state: "unknown", value: null, idempotencyKey: sent[0] },
  ]);

  expect(await engine.confirmEffect(id, "sms", "sent by hand")).toBe(true);
  expect(await engine.confirmEffect(id, "mail")).toBe(false);
  await engine.retry(id, { fromStage: "write" });
  expect(await engine.result(id, { timeoutMs: 20_000 })).toEqual({ number: 7, receipt: "sent by hand" });
  expect(sent).toHaveLength(1);

  expect(await engine.forgetEffects(id, "sms")).toBe(1);
  expect(await engine.forgetEffects(id)).toBe(1);
  expect(await engine.effects(id)).toEqual([]);
  await expect(engine.effects("nonsense")).rejects.toBeInstanceOf(InvalidJobIdError);
});

/** A promise, and what resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test("what an abandoned attempt hears from the ledger too late leaves the job's next attempt alone", async () => {
  const [next, heard] = [gate(), gate()];
  const slow = definePipeline("slow").stage(
    "call",
    { timeoutMs: 50, retry: { kind: "constant", baseMs: 1 } },
    async ({ once, attempt, signal }) => {
      if (attempt === 1) {
        // It does not heed its signal.
        await once("call", () => next.opened).catch(heard.open);
        return "too late";
      }
      next.open();
      await heard.opened;
      return `aborted: ${signal.aborted}`;
    },
  );
  const engine = createEngine({ databaseUrl: db.url, pipelines: [slow], logger: null, stopGraceMs: 400 });
  onTestFinished(() => engine.stop());
  await engine.start();
  const { id } = await engine.add(slow, null);
  expect(await engine.result(id, { timeoutMs: 20_000 })).toBe("aborted: false");
});
