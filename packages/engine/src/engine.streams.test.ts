import { randomUUID } from "node:crypto";
import { forgetClaims, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { JobUnknownError } from "./client/results/result-errors.ts";
import { createEngine, type Engine } from "./engine.ts";
import { fanOut } from "./jobs/adding/fan-out.ts";
import { LeaseLostError } from "./jobs/outcomes/lease-lost-error.ts";
import { type AnyPipeline, definePipeline } from "./jobs/pipelines/pipeline.ts";
import { ReadStreamOptionError } from "./jobs/streams/read-stream-options.ts";
import type { StreamEntry } from "./jobs/streams/stream-entry.ts";
import { InvalidStreamError, StreamTooFastError } from "./jobs/streams/stream-errors.ts";

const db = testDatabase();
const tokenSecret = "a secret of the tests, long enough";
const soon = { retry: { kind: "constant", baseMs: 1 } } as const;

async function aWorker(...pipelines: AnyPipeline[]): Promise<Engine> {
  const engine = createEngine({ databaseUrl: db.url, pipelines, logger: null, tokenSecret });
  onTestFinished(() => engine.stop());
  await engine.start();
  return engine;
}

async function allOf(entries: AsyncIterable<StreamEntry>): Promise<StreamEntry[]> {
  const all: StreamEntry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

/** What is left for a reader that does as it is told. */
function textOf(entries: readonly StreamEntry[]): unknown[] {
  const kept: unknown[] = [];
  for (const entry of entries) {
    if (entry.kind === "rewind") kept.length = entry.to;
    else kept[entry.seq - 1] = entry.chunk;
  }
  return kept;
}

const rewindsIn = (entries: readonly StreamEntry[]) =>
  entries.flatMap((entry) => (entry.kind === "rewind" ? [entry.to] : []));

/** A promise, and what resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test("a reader gets what a handler writes while it runs, each chunk once, and ends with the job", async () => {
  const read = gate();
  const tell = definePipeline("tell").stage("tell", async ({ stream }) => {
    const text = stream<string | { n: number }>("text");
    void text.write("Once ");
    void text.write("upon ");
    await read.opened;
    await text.write({ n: 1 });
  });
  const engine = await aWorker(tell);
  const { id } = await engine.add(tell, null);
  const seen: StreamEntry[] = [];
  for await (const entry of engine.readStream(id, "text")) {
    seen.push(entry);
    if (seen.length === 2) read.open();
  }
  expect(seen.map((entry) => (entry.kind === "chunk" ? [entry.seq, entry.chunk] : entry))).toEqual([
    [1, "Once "],
    [2, "upon "],
    [3, { n: 1 }],
  ]);
  // From each cursor on, exactly the rest.
  for (const [index, { cursor }] of seen.entries()) {
    expect(await allOf(engine.readStream(id, "text", { after: cursor }))).toEqual(seen.slice(index + 1));
  }
  expect(await engine.streams(id)).toMatchObject([{ name: "text", chunks: 3 }]);
});

test("all that is written before the end is there when the job has ended, however it ends", async () => {
  const words = Array.from({ length: 2_500 }, (_, index) => `${index} `);
  const flood = definePipeline<{ end: string }>("flood")
    .stage("write", { maxAttempts: 1 }, async ({ stream, payload, completeIn }) => {
      const text = stream("text");
      for (const word of words) void text.write(word);
      if (payload.end === "throw") throw new Error("broken");
      if (payload.end === "fan out") return fanOut(child, [{ payload: null }]);
      if (payload.end !== "transaction") return;
      const tx = await db.connect();
      await tx.query("begin");
      await completeIn(tx, null);
      expect(() => text.write("too late")).toThrow("write before it");
      await tx.query("commit");
      await tx.end();
    })
    .stage("end", () => null);
  const child = definePipeline("child").stage("be", () => null);
  const engine = await aWorker(flood, child);
  for (const end of ["return", "throw", "fan out", "transaction"]) {
    const { id } = await engine.add(flood, { end });
    await engine.result(id, { timeoutMs: 20_000 }).catch(() => undefined);
    expect([end, textOf(await allOf(engine.readStream(id, "text"))).join("")]).toEqual([end, words.join("")]);
  }
});

test("a retry rewinds readers once, and one that goes on does not", async () => {
  const story = definePipeline<{ goesOn: boolean }>("story").stage(
    "write",
    soon,
    async ({ stream, attempt, payload }) => {
      const text = stream<string>("text");
      const kept = payload.goesOn ? await text.written() : [];
      const words = ["a", "b", "c", "d"].slice(kept.length);
      for (const word of words) {
        await text.write(word);
        if (attempt === 1 && word === "b") throw new Error("the model went away");
      }
    },
  );
  const engine = await aWorker(story);
  const followed = async (goesOn: boolean) => {
    const { id } = await engine.add(story, { goesOn });
    return await allOf(engine.readStream(id, "text"));
  };
  // One that is slow to begin finds what was cut off gone, and needs no rewind.
  const restarted = await followed(false);
  expect(textOf(restarted)).toEqual(["a", "b", "c", "d"]);
  expect(rewindsIn(restarted).length).toBeLessThanOrEqual(1);
  const continued = await followed(true);
  expect(continued.map((entry) => entry.kind === "chunk" && entry.chunk)).toEqual(["a", "b", "c", "d"]);
});

test("readers who had the first attempt's words are rewound once, and see no word twice", async () => {
  const had = gate();
  const story = definePipeline("retold").stage("write", soon, async ({ stream, attempt }) => {
    const text = stream("text");
    await text.write(`attempt ${attempt}: `);
    if (attempt === 1) {
      await had.opened;
      throw new Error("broken");
    }
    await text.write("done");
  });
  const engine = await aWorker(story);
  const { id } = await engine.add(story, null);
  const readers = Array.from({ length: 20 }, async (_, index) => {
    const entries: StreamEntry[] = [];
    for await (const entry of engine.readStream(id, "text")) {
      entries.push(entry);
      if (index === 19 && entries.length === 1) had.open();
    }
    return entries;
  });
  for (const entries of await Promise.all(readers)) {
    expect(rewindsIn(entries)).toEqual([0]);
    expect(textOf(entries)).toEqual(["attempt 2: ", "done"]);
    expect(new Set(entries.map(({ cursor }) => cursor)).size).toBe(entries.length);
  }
});

test("a handler that changes its mind cuts off what it wrote", async () => {
  const draft = definePipeline("draft").stage("write", async ({ stream }) => {
    const text = stream("text");
    await text.write("first try");
    expect(await text.written()).toEqual(["first try"]);
    text.rewind();
    expect(await text.written()).toEqual([]);
    await text.write("second try");
  });
  const engine = await aWorker(draft);
  const { id } = await engine.add(draft, null);
  await engine.result(id, { timeoutMs: 20_000 });
  expect(textOf(await allOf(engine.readStream(id, "text")))).toEqual(["second try"]);
});

test("a worker that has lost its claim writes nothing more, and its handler is told", async () => {
  const lost = gate();
  const told: unknown[] = [];
  const slow = definePipeline("slow").stage("write", async ({ stream, signal, attempt, jobId }) => {
    const text = stream("text");
    if (attempt > 1) return void (await text.write("by the other"));
    await text.write("mine");
    await text.written();
    // Another worker has it now, as if this one had stood still.
    await db.query("update lockstep.jobs set claim_token = gen_random_uuid() where id = $1", [jobId]);
    void text.write("too late");
    try {
      await text.written();
    } catch (error) {
      told.push(error);
    }
    told.push(signal.aborted);
    lost.open();
    return null;
  });
  const engine = await aWorker(slow);
  const { id } = await engine.add(slow, null);
  await lost.opened;
  expect(told).toEqual([expect.any(LeaseLostError), true]);
  const [row] = await db.query("select chunks from lockstep.streams where job_id = $1", [id]);
  expect(row).toEqual({ chunks: 1 });
});

test("a handler that does not stop disturbs neither the stream nor the next attempt", async () => {
  const told = gate();
  const late: unknown[] = [];
  const stubborn = definePipeline("stubborn").stage(
    "write",
    { ...soon, timeoutMs: 300 },
    async ({ stream, attempt }) => {
      const text = stream("text");
      await text.write(`attempt ${attempt}`);
      if (attempt > 1) return;
      await told.opened;
      try {
        await text.write("too late");
      } catch (error) {
        late.push(error);
      }
    },
  );
  const engine = createEngine({
    ...{ databaseUrl: db.url, pipelines: [stubborn], logger: null, stopGraceMs: 100 },
  });
  onTestFinished(() => engine.stop());
  await engine.start();
  const { id } = await engine.add(stubborn, null);
  await engine.result(id, { timeoutMs: 20_000 });
  told.open();
  await expect.poll(() => late).toEqual([expect.any(InvalidStreamError)]);
  expect(textOf(await allOf(engine.readStream(id, "text")))).toEqual(["attempt 2"]);
});

test("a claim that a crash of PostgreSQL has forgotten is presented, and the stream goes on", async () => {
  const story = definePipeline("crashed").stage("write", async ({ stream }) => {
    const text = stream("text");
    await text.write("before ");
    await text.written();
    await forgetClaims(db);
    await text.write("after");
  });
  const engine = await aWorker(story);
  const { id } = await engine.add(story, null);
  await engine.result(id, { timeoutMs: 20_000 });
  expect(textOf(await allOf(engine.readStream(id, "text"))).join("")).toBe("before after");
});

test("what does not fit is refused with a sentence that says what to do", async () => {
  const thrown: unknown[] = [];
  const wrong = definePipeline("wrong").stage("write", { maxAttempts: 1 }, async ({ stream }) => {
    const attempts = [
      () => stream("no/slash"),
      () => stream("text").write(undefined),
      () => stream("text").write("x".repeat(70_000)),
      () => stream("text").write({ at: Number.NaN }),
      () => {
        for (let count = 0; count < 40; count += 1) void stream("fast").write("x".repeat(60_000));
      },
    ];
    for (const attempt of attempts) {
      try {
        void attempt();
      } catch (error) {
        thrown.push(error);
      }
    }
    const big = stream("big");
    for (let count = 0; count < 200; count += 1) await big.write("x".repeat(60_000));
  });
  const engine = await aWorker(wrong);
  const { id } = await engine.add(wrong, null);
  // The rate would make it a matter of a minute.
  const hurry = setInterval(
    () => void db.query("update lockstep.streams set window_at = window_at - interval '10 seconds'"),
    50,
  );
  onTestFinished(() => clearInterval(hurry));
  await expect(engine.result(id, { timeoutMs: 50_000 })).rejects.toThrow(
    `The streams of job ${id} would take more than 8 MiB`,
  );
  clearInterval(hurry);
  expect(thrown.map((error) => (error as Error).constructor)).toEqual([
    ...[InvalidStreamError, InvalidStreamError, InvalidStreamError, InvalidStreamError, StreamTooFastError],
  ]);
  expect(String(thrown[2])).toContain("but the limit is 65536 (64 KiB). Write it in parts.");
});

test("a token or an owner opens only what is theirs", async () => {
  const secret = definePipeline("secret").stage("write", async ({ stream }) => {
    await stream("text").write("for Ada alone");
  });
  const engine = await aWorker(secret);
  const { id } = await engine.add(secret, null, { owner: "ada" });
  await engine.result(id, { timeoutMs: 20_000 });
  const read = (options: Parameters<Engine["readStream"]>[2]) =>
    allOf(engine.readStream(id, "text", options));
  const expiresInMs = 60_000;
  for (const mine of [
    { owner: "ada" },
    { token: engine.ownerToken("ada", { expiresInMs }) },
    { token: engine.jobToken(id, { expiresInMs }) },
  ]) {
    expect(textOf(await read(mine))).toEqual(["for Ada alone"]);
  }
  for (const theirs of [
    { owner: "bob" },
    { token: engine.ownerToken("bob", { expiresInMs }) },
    { token: engine.jobToken(randomUUID(), { expiresInMs }) },
  ]) {
    await expect(read(theirs)).rejects.toBeInstanceOf(JobUnknownError);
  }
  await expect(allOf(engine.readStream(randomUUID(), "text"))).rejects.toBeInstanceOf(JobUnknownError);
  expect(() => engine.readStream(id, "text", { after: "nonsense" })).toThrow(ReadStreamOptionError);
  expect(() => engine.readStream(id, "no/slash")).toThrow(InvalidStreamError);
});
