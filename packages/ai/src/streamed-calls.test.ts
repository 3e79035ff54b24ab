// In real time: the words come over a real socket.
import { testDatabase } from "@lockstep/test-support";
import { definePipeline, type Engine, type JobId, type StreamEntry } from "lockstep";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { streamObject } from "./stream-object.ts";
import { streamText } from "./stream-text.ts";
import { type ModelServer, startModelServer, wordsOf } from "./test-support/model-server.ts";
import { aWorker, modelAt, soon } from "./test-support/working.ts";

const db = testDatabase();
const limit = { timeoutMs: 20_000 };
const line = "A queue is a line of jobs.";
let server: ModelServer;
let model: ReturnType<typeof modelAt>;

beforeAll(async () => {
  server = await startModelServer();
  model = modelAt(server);
});
afterAll(async () => {
  await server.stop();
  expect(await db.call("verify")).toEqual([]);
});
let before = 0;
beforeEach(() => {
  before = server.calls.length;
});
const calls = () => server.calls.slice(before);

/** What a reader sees from the beginning to the end of the job. */
async function readAll(engine: Engine, id: JobId, name = "answer"): Promise<StreamEntry[]> {
  const seen: StreamEntry[] = [];
  for await (const entry of engine.readStream(id, name)) seen.push(entry);
  return seen;
}
const shown = (entries: readonly StreamEntry[]) =>
  entries.map((entry) => (entry.kind === "rewind" ? { to: entry.to } : entry.chunk));

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Asks once and streams the words; the attempts in `failing` fail when they have the answer. */
function explaining(name: string, failing: readonly number[] = []) {
  return definePipeline(name).stage("ask", soon, async (context) => {
    const { text } = await streamText(context, { key: "ask", stream: "answer", model, prompt: "What?" });
    if (failing.includes(context.attempt)) throw new Error("something else");
    return text;
  });
}

test("a reader sees the words while they come, each once, and the whole answer is kept", async () => {
  const rest = gate();
  server.behave(() => ({ text: line, after: 2, next: rest.opened }));
  const explain = explaining("explain-live");
  const engine = await aWorker(db, explain);
  const { id } = await engine.add(explain, null);
  const seen: StreamEntry[] = [];
  for await (const entry of engine.readStream(id, "answer")) {
    seen.push(entry);
    // The model goes on only when its first words were read.
    if (seen.length === 2) rest.open();
  }
  expect(shown(seen)).toEqual(wordsOf(line));
  expect(await engine.result(id, limit)).toBe(line);
  const [effect] = await engine.effects(id);
  expect(effect).toMatchObject({ state: "done", value: { text: line, usage: { outputTokens: 7 } } });
});

test("the attempt after a failure has the kept answer: no word is asked for, or written, again", async () => {
  server.behave(() => ({ text: line }));
  const explain = explaining("explain-kept", [1, 2]);
  const engine = await aWorker(db, explain);
  const { id } = await engine.add(explain, null);
  expect(shown(await readAll(engine, id))).toEqual(wordsOf(line));
  expect(await engine.result(id, limit)).toBe(line);
  expect(calls()).toHaveLength(1);
});

test.each([
  ["reset", 'The model\'s answer about "ask" broke off'],
  ["end", "without a finish reason"],
  ["error", "the model is overloaded"],
] as const)(
  "an answer that is cut in the middle (%s) is asked for anew, with one rewind",
  async (next, why) => {
    const words = wordsOf(line);
    const read = gate();
    // The second attempt waits until the reader has some words of the first.
    server.behave((time) =>
      time === 1 ? { text: line, after: 3, next } : { text: line, after: 0, next: read.opened },
    );
    const explain = explaining(`explain-${next}`);
    const engine = await aWorker(db, explain);
    const { id } = await engine.add(explain, null);
    const seen: StreamEntry[] = [];
    for await (const entry of engine.readStream(id, "answer")) {
      seen.push(entry);
      if (seen.length === 3) read.open();
    }
    expect(shown(seen)).toEqual([...words.slice(0, 3), { to: 0 }, ...words]);
    expect(await engine.result(id, limit)).toBe(line);
    expect(calls()).toHaveLength(2);
    const [attempt] = (await engine.get(id))?.attempts ?? [];
    expect(attempt?.error?.message).toContain(why);
  },
);

test("a model that stalls is left after the time between words, and asked anew", async () => {
  const never = new Promise<void>(() => {});
  server.behave((time) => (time === 1 ? { text: line, after: 3, next: never } : { text: line }));
  const explain = definePipeline("explain-stalled").stage("ask", soon, async (context) => {
    const how = { key: "ask", stream: "answer", model, prompt: "What?", timeout: { chunkMs: 200 } };
    return (await streamText(context, how)).text;
  });
  const engine = await aWorker(db, explain);
  const { id } = await engine.add(explain, null);
  expect(await engine.result(id, limit)).toBe(line);
  expect(calls()[0]?.isLeft).toBe(true);
  const [attempt] = (await engine.get(id))?.attempts ?? [];
  expect(attempt?.error?.message).toContain('The model had no answer about "ask" in time');
});

test("a kept answer whose words are not in the stream is written to it in one go", async () => {
  server.behave(() => "hang");
  const long = `${"word ".repeat(4_000)}\u{1f600}`;
  const explain = definePipeline("explain-confirmed").stage("ask", soon, async (context) => {
    const how = { key: "ask", stream: "answer", model, prompt: "What?", timeout: 200 };
    return (await streamText(context, { ...how, unknown: "fail" })).text.length;
  });
  const engine = await aWorker(db, explain);
  const { id } = await engine.add(explain, null);
  await expect(engine.result(id, limit)).rejects.toThrow("It is not known whether");
  const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0, totalTokens: 2 };
  await engine.confirmEffect(id, "ask", {
    text: long,
    toolCalls: [],
    finishReason: "stop",
    usage,
    modelId: "m",
  });
  await engine.retry(id);
  expect(await engine.result(id, limit)).toBe(long.length);
  expect(shown(await readAll(engine, id)).join("")).toBe(long);
});

test("two calls that would write to one stream are refused, and say what to do", async () => {
  server.behave(() => ({ text: "One." }));
  const twice = definePipeline("twice").stage("ask", soon, async (context) => {
    await streamText(context, { key: "one", stream: "answer", model, prompt: "One?" });
    await streamText(context, { key: "two", stream: "answer", model, prompt: "Two?" });
  });
  const engine = await aWorker(db, twice);
  const { id } = await engine.add(twice, null);
  await expect(engine.result(id, limit)).rejects.toThrow('write to stream "answer" in one attempt');
});

test("a call may take the place, and the stream, of one that failed", async () => {
  const read = gate();
  server.behave((time) =>
    time === 1 ? { text: line, after: 3, next: "error" } : { text: line, after: 0, next: read.opened },
  );
  const explain = definePipeline("explain-otherwise").stage("ask", soon, async (context) => {
    const how = { stream: "answer", model, prompt: "What?" };
    const first = await streamText(context, { ...how, key: "first" }).catch(() => null);
    return (first ?? (await streamText(context, { ...how, key: "second" }))).text;
  });
  const engine = await aWorker(db, explain);
  const { id } = await engine.add(explain, null);
  const seen: StreamEntry[] = [];
  for await (const entry of engine.readStream(id, "answer")) {
    seen.push(entry);
    if (seen.length === 3) read.open();
  }
  const words = wordsOf(line);
  expect(shown(seen)).toEqual([...words.slice(0, 3), { to: 0 }, ...words]);
  expect((await engine.get(id))?.attempts).toHaveLength(1);
});

test("an answer in the form of a schema is shown as words while it comes, and checked when it is whole", async () => {
  const schema = z.object({ summary: z.string(), points: z.array(z.string()) });
  const answer = { summary: "A line of jobs.", points: ["first come", "first served"] };
  // The first has points of another form, of which toText can make nothing.
  const unfit = { summary: "A line of jobs.", points: "many of them" };
  server.behave((time) => ({ text: JSON.stringify(time === 1 ? unfit : answer) }));
  const review = definePipeline("review").stage("ask", soon, async (context) => {
    const { object } = await streamObject(context, {
      ...{ key: "ask", stream: "answer", model, prompt: "What?", schema },
      toText: ({ summary = "", points = [] }) => [summary, ...points.map(String)].join("\n"),
    });
    if (context.attempt === 2) throw new Error("something else");
    return object;
  });
  const engine = await aWorker(db, review);
  const { id } = await engine.add(review, null);
  const entries = await readAll(engine, id);
  expect(await engine.result(id, limit)).toEqual(answer);
  const from = entries.findLastIndex(({ kind }) => kind === "rewind") + 1;
  const words = shown(entries.slice(from));
  expect(words.join("")).toBe("A line of jobs.\nfirst come\nfirst served");
  expect(words.length).toBeGreaterThan(3);
  const attempts = (await engine.get(id))?.attempts ?? [];
  expect(attempts[0]?.error?.message).toContain("in a different form than asked for: points: ");
  expect(calls()).toHaveLength(2);
});
