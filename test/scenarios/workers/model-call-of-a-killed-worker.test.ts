// In real time: only real processes can be killed.
import { childProgram, testDatabase } from "@lockstep/test-support";
import { createEngine, type Engine, type StreamEntry } from "lockstep";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  type ModelServer,
  startModelServer,
  wordsOf,
} from "../../../packages/ai/src/test-support/model-server.ts";
import { endLease } from "../processes/end-lease.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const limit = { timeoutMs: 60_000 };
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
});
afterAll(() => model.stop());

/** A worker that asks the model and streams its words; one that lingers has the answer and does not end. */
async function startWorker({ lingers = false }: { lingers?: boolean } = {}) {
  const program = childProgram(`
    import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
    import { streamText } from "@lockstep/ai";
    import { createEngine, definePipeline } from "lockstep";
    const provider = createOpenAICompatible({ name: "own", baseURL: ${JSON.stringify(model.url)}, includeUsage: true });
    const explain = definePipeline("explain").stage("ask", async (context) => {
      const { text } = await streamText(context, {
        key: "ask", stream: "answer", model: provider("own-model"), prompt: "What is it?",
      });
      console.log("answered");
      if (${lingers}) await new Promise(() => setInterval(() => {}, 1_000));
      return text;
    });
    const engine = createEngine({ databaseUrl: ${JSON.stringify(db.url)}, pipelines: [explain], logger: null });
    engine.on("engine.started", ({ workerId }) => console.log(workerId));
    await engine.start();
  `);
  return { program, workerId: await program.nextLine() };
}

function anEngine(): Engine {
  const engine = createEngine({ databaseUrl: db.url, logger: null });
  onTestFinished(() => engine.stop());
  return engine;
}

/** Readers that follow the answer to the end of its job. */
function readersOf(engine: Engine, id: string, count: number) {
  const seenBy: StreamEntry[][] = Array.from({ length: count }, () => []);
  const reading = Promise.all(
    seenBy.map(async (seen) => {
      for await (const entry of engine.readStream(id, "answer")) seen.push(entry);
    }),
  );
  return { seenBy, reading };
}

const shown = (entries: readonly StreamEntry[]) =>
  entries.map((entry) => (entry.kind === "rewind" ? { to: entry.to } : entry.chunk));

test("readers of a model call whose worker is killed see each word once, one rewind, and the words of the next call", async () => {
  const [first, second] = ["a", "b"].map((name) =>
    Array.from({ length: 30 }, (_none, index) => `${name}${index + 1}`).join(" "),
  ) as [string, string];
  const never = new Promise<void>(() => {});
  model.behave((time) => (time === 1 ? { text: first, after: 10, next: never } : { text: second }));
  const engine = anEngine();
  const { program, workerId } = await startWorker();
  const { id } = await engine.add("explain", null);
  const { seenBy, reading } = readersOf(engine, id, 20);
  await until("every reader has had the words", async () => seenBy.every(({ length }) => length === 10));
  program.kill("SIGKILL");
  await program.ended;
  await endLease(db, { workerId });
  await startWorker();
  await reading;
  for (const seen of seenBy) {
    expect(shown(seen)).toEqual([...wordsOf(first).slice(0, 10), { to: 0 }, ...wordsOf(second)]);
  }
  expect(await engine.result(id as never, limit)).toBe(second);
  expect(await engine.effects(id)).toMatchObject([{ state: "done", starts: 2 }]);
}, 120_000);

test("an answer whose worker is killed before the stage ends is not asked for, or written, again", async () => {
  const before = model.calls.length;
  const text = "Kept is kept.";
  model.behave(() => ({ text }));
  const engine = anEngine();
  const { program, workerId } = await startWorker({ lingers: true });
  const { id } = await engine.add("explain", null);
  const { seenBy, reading } = readersOf(engine, id, 5);
  expect(await program.nextLine()).toBe("answered");
  await until("every reader has had the words", async () => seenBy.every(({ length }) => length === 3));
  program.kill("SIGKILL");
  await program.ended;
  await endLease(db, { workerId });
  await startWorker();
  await reading;
  expect(await engine.result(id as never, limit)).toBe(text);
  for (const seen of seenBy) expect(shown(seen)).toEqual(wordsOf(text));
  expect(model.calls.length - before).toBe(1);
  expect(await engine.effects(id)).toMatchObject([{ state: "done", starts: 1 }]);
}, 120_000);
