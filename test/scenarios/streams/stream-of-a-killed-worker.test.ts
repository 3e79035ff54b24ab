// In real time: only real processes can be killed.
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@lockstep/client";
import { childProgram, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { startServer, tokenSecret } from "../processes/server-process.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const words = 60;
const readers = 50;

/** A worker whose handler streams words that say whose they are, and then ends or stays in the middle of its story. */
async function startWriter(
  name: string,
  { ends }: { ends: boolean },
): Promise<{ workerId: string; kill(): void }> {
  const program = childProgram(`
    import { setTimeout as sleep } from "node:timers/promises";
    import { createEngine, definePipeline } from "lockstep";
    const story = definePipeline("story").stage("tell", async ({ stream }) => {
      const text = stream("text");
      for (let n = 1; n <= ${words}; n += 1) {
        await text.write("${name}" + n);
        await sleep(25);
      }
      if (!${ends}) await sleep(1_000_000);
    });
    const engine = createEngine({ databaseUrl: ${JSON.stringify(db.url)}, pipelines: [story], logger: null });
    engine.on("engine.started", ({ workerId }) => console.log(workerId));
    await engine.start();
  `);
  return { workerId: await program.nextLine(), kill: () => program.kill("SIGKILL") };
}

type Seen = { chunk: unknown; seq: number } | { to: number };

test("50 readers of a worker that is killed, at two servers of which one is killed too, see each word once and one rewind", async () => {
  const engine = createEngine({ databaseUrl: db.url, tokenSecret, logger: null });
  onTestFinished(() => engine.stop());
  const [steady, mortal, first] = await Promise.all([
    startServer(db),
    startServer(db),
    startWriter("a", { ends: false }),
  ]);
  const { id } = await engine.add("story", null, { owner: "ada" });

  let isRough = true;
  let requests = 0;
  let cuts = 0;
  /** Each request goes to the other server, and its answer is cut after a while. */
  const roughFetch: typeof fetch = async (input, init) => {
    requests += 1;
    const { url } = requests % 2 === 0 ? steady : mortal;
    const cut = new AbortController();
    init?.signal?.addEventListener("abort", () => cut.abort());
    if (isRough) {
      void sleep(200 + Math.random() * 1_500).then(() => {
        cuts += 1;
        cut.abort();
      });
    }
    return await fetch(String(input).replace("http://any", url), { ...init, signal: cut.signal });
  };
  const client = createClient({
    baseUrl: "http://any",
    fetch: roughFetch,
    token: () => engine.ownerToken("ada", { expiresInMs: 600_000 }),
  });

  const seenBy: Seen[][] = Array.from({ length: readers }, () => []);
  const reading = seenBy.map(async (seen, index) => {
    if (index % 5 === 0) {
      for await (const entry of engine.readStream(id, "text", { owner: "ada" })) seen.push(entry);
    } else {
      for await (const message of client.stream(id, "text")) seen.push(message);
    }
  });
  await until("every reader has had some words", async () => seenBy.every((seen) => seen.length >= 5));
  first.kill();
  mortal.kill("SIGKILL");
  await mortal.ended;
  await Promise.all([startServer(db, mortal.port), endLease(db, first)]);
  await startWriter("b", { ends: true });
  await until("the other worker has told much of it", async () => {
    const [stream] = await engine.streams(id);
    return (stream?.chunks ?? 0) >= 20;
  });
  isRough = false;
  await Promise.all(reading);

  expect(cuts).toBeGreaterThan(20);
  const told = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ chunk: `${name}${n + 1}`, seq: n + 1 }));
  for (const seen of seenBy) {
    const rewound = seen.findIndex((one) => "to" in one);
    expect(seen.slice(0, rewound)).toMatchObject(told("a", rewound));
    expect(seen[rewound]).toMatchObject({ to: 0 });
    expect(seen.slice(rewound + 1)).toMatchObject(told("b", words));
  }
}, 180_000);
