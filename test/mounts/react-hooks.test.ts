import { createClient } from "@lockstep/client";
import {
  LockstepProvider,
  useJob,
  useJobEvents,
  useJobStream,
  useLiveStatus,
  useSignal,
} from "@lockstep/react";
import { createServer } from "@lockstep/server";
import { aWaitingJob, aWaitingPipeline, JobFactory, localPeer, testDatabase } from "@lockstep/test-support";
import { parseHTML } from "linkedom";
import { createEngine } from "lockstep";
import { createElement, type ReactElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { LiveJobs } from "../../packages/react/src/live-jobs.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

/** A client of a real server, without a socket, whose requests are noted. */
function aClient(signals: readonly string[] = []) {
  const engine = createEngine({ databaseUrl: db.url, tokenSecret: "s".repeat(32), logger: null });
  const server = createServer({ engine, access: "loopback", logger: null });
  const asked: string[] = [];
  onTestFinished(async () => {
    await server.stop();
    await engine.stop();
  });
  const client = createClient({
    baseUrl: "http://localhost",
    token: () => engine.ownerToken("ada", { expiresInMs: 60_000, signals }),
    fetch: async (input, init) => {
      asked.push(new URL(String(input)).pathname.replace("/api/v1", ""));
      return await server.fetch(new Request(input, init), localPeer);
    },
  });
  return { client, asked };
}

// A browser's page for the whole file: React looks at it also after a test has left.
const { document, window } = parseHTML("<html><body></body></html>") as unknown as {
  readonly window: object;
  readonly document: {
    readonly body: { append(node: object): void };
    createElement(name: string): { readonly textContent: string | null };
  };
};
Object.assign(globalThis, { document, window });

/** Draws as in a browser, and says what is to be read there. */
function draw(element: ReactElement): { text: () => string } {
  const main = document.createElement("main");
  document.body.append(main);
  const root = createRoot(main as unknown as Parameters<typeof createRoot>[0]);
  root.render(createElement(StrictMode, null, element));
  onTestFinished(() => root.unmount());
  return { text: () => main.textContent ?? "" };
}

async function untilRead(text: () => string, wanted: string | RegExp): Promise<void> {
  await expect.poll(text, { timeout: 15_000, interval: 20 }).toMatch(wanted);
}

function JobLine({ id }: { readonly id: string }): ReactElement {
  const { job, isLoading, error } = useJob(id);
  const { state } = useLiveStatus();
  if (error !== null) return createElement("p", null, `error ${String(error)}`);
  if (job === null) return createElement("p", null, isLoading ? "loading" : "none");
  const { status, progress, result } = job;
  return createElement("p", null, `${state} ${status} ${progress?.percent ?? "-"} ${JSON.stringify(result)}`);
}

function EventLine(options: { readonly jobId?: string }): ReactElement {
  const events = useJobEvents(options);
  return createElement("p", null, `[${events.map(({ kind }) => kind).join(" ")}]`);
}

test("useJob shows a job as it goes on, and all hooks share one stream", async () => {
  const { client, asked } = aClient();
  const worker = await jobs.aWorker();
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker, owner: "ada" });
  const { text } = draw(
    createElement(
      LockstepProvider,
      { client },
      createElement(JobLine, { id }),
      createElement(JobLine, { id }),
      createElement(EventLine),
    ),
  );
  await untilRead(text, "live processing - nulllive processing - null[]");
  await db.value("report_progress", { p_id: id, p_claim_token: claim_token, p_percent: 40 });
  await untilRead(text, /^live processing 40 .*\[job.progress\]$/);
  await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_output: { total: 7 } });
  await untilRead(text, /^live completed \S+ {"total":7}live completed .*\[job.progress job.completed\]$/);
  expect(asked.filter((path) => path === "/events")).toHaveLength(1);
});

test("useJob says that there is no such job, and of another owner's the same", async () => {
  const { client } = aClient();
  const foreign = await jobs.aPendingJob({ owner: "bob" });
  const { text } = draw(createElement(LockstepProvider, { client }, createElement(JobLine, { id: foreign })));
  await untilRead(text, "none");
});

test("useSignal answers what a job waits for, with a token that was made for it, and says what was refused", async () => {
  await aWaitingPipeline(jobs);
  const id = await aWaitingJob(db, jobs, { owner: "ada" });
  let answer: (value: unknown) => Promise<unknown> = async () => undefined;
  function Answering(): ReactElement {
    const { job } = useJob(id);
    const { signal, error } = useSignal(id);
    answer = (value) => signal("approval", value).catch(() => "refused");
    return createElement(
      "p",
      null,
      `${job?.wait?.signal ?? "no wait"} ${(error as Error | null)?.message ?? "-"}`,
    );
  }
  const { text: forbidden } = draw(
    createElement(LockstepProvider, { client: aClient().client }, createElement(Answering)),
  );
  await untilRead(forbidden, "approval -");
  expect(await answer({ approved: true })).toBe("refused");
  await untilRead(forbidden, "This needs the right jobs.signal");

  const { text } = draw(
    createElement(LockstepProvider, { client: aClient(["approval"]).client }, createElement(Answering)),
  );
  await untilRead(text, "approval -");
  expect(await answer({ approved: "yes" })).toBe("refused");
  await untilRead(text, 'does not fit the schema of wait "approval"');
  expect(await answer({ approved: true })).toEqual({ id, answer: "signalled" });
  await untilRead(text, "no wait -");
});

test("useJobEvents keeps to what it is asked for", async () => {
  const { client } = aClient();
  const [one, other] = [await jobs.aPendingJob({ owner: "ada" }), await jobs.aPendingJob({ owner: "ada" })];
  const { text } = draw(
    createElement(
      LockstepProvider,
      { client },
      createElement(EventLine, { jobId: one }),
      createElement(JobLine, { id: other }),
    ),
  );
  await untilRead(text, "[]live pending - null");
  await db.value("cancel_job", { p_id: other });
  await db.value("cancel_job", { p_id: one });
  await untilRead(text, "[job.cancelled]live cancelled - null");
});

function StreamLine({ id }: { readonly id: string }): ReactElement {
  const { text, chunks, isOver, isLoading, error } = useJobStream<string>(id, "text");
  if (error !== null) return createElement("p", null, `error ${String(error)}`);
  return createElement("p", null, isLoading ? "loading" : `${text}${chunks.length}${isOver ? " over" : ""}`);
}

test("useJobStream shows what a job writes as it is written, and what is left of it after a retry", async () => {
  const { client, asked } = aClient();
  const at = new Date();
  const worker = await jobs.aWorker({ at, leaseSeconds: 3_600 });
  const claim = await jobs.aClaimedJob({ by: worker, owner: "ada", at });
  const { id } = claim;
  const write = (token: string, after: number | null, chunks: unknown[]) =>
    db.call("write_streams", { p_writes: [{ id, token, name: "text", after, chunks }] });
  const { text } = draw(
    createElement(
      LockstepProvider,
      { client },
      createElement(StreamLine, { id }),
      createElement(StreamLine, { id }),
    ),
  );
  await untilRead(text, "loadingloading");
  await write(claim.claim_token, null, ["Once ", { n: 1 }]);
  await untilRead(text, "Once 2Once 2");
  const again = await jobs.nextAttempt(claim, { by: worker, at: new Date() });
  await write(again.claim_token, null, ["Twice "]);
  await untilRead(text, /^Twice 1Twice 1$/);
  await db.value("complete_job", { p_id: id, p_claim_token: again.claim_token });
  await untilRead(text, "Twice 1 overTwice 1 over");
  expect(asked.filter((path) => path === `/jobs/${id}/streams/text`).length).toBeLessThanOrEqual(2);
});

test("useJobStream says why there is none to be seen", async () => {
  const { client } = aClient();
  const foreign = await jobs.aPendingJob({ owner: "bob" });
  const { text } = draw(
    createElement(LockstepProvider, { client }, createElement(StreamLine, { id: foreign })),
  );
  await untilRead(text, "There is no job");
});

test("jobs that are looked at no more are forgotten, but for the last hundred", async () => {
  const { client } = aClient();
  const held = new LiveJobs(client, {});
  const ids = Array.from(
    { length: 300 },
    (_, index) => `0192f0c1-7a3e-7cc3-98c4-${String(index).padStart(12, "0")}`,
  );
  const watched = held.job("0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f");
  const leave = watched.subscribe(() => undefined);
  const watches = ids.map((id) => held.job(id));
  for (const watch of watches) watch.subscribe(() => undefined)();
  expect(ids.slice(200).every((id, index) => held.job(id) === watches[200 + index])).toBe(true);
  expect(held.job("0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f")).toBe(watched);
  expect(held.job(ids[198] ?? "")).not.toBe(watches[198]);
  leave();
});

test("all that are drawn at once are shared, however many", async () => {
  const { client } = aClient();
  const held = new LiveJobs(client, {});
  const ids = Array.from(
    { length: 300 },
    (_, index) => `0192f0c1-7a3e-7cc3-98c4-${String(index).padStart(12, "0")}`,
  );
  const watches = ids.map((id) => held.job(id));
  const leaving = watches.map((watch) => watch.subscribe(() => undefined));
  expect(ids.every((id, index) => held.job(id) === watches[index])).toBe(true);
  for (const leave of leaving) leave();
});

test("on a server they draw what is known there: nothing yet", () => {
  const { client, asked } = aClient();
  const id = "0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f";
  const html = renderToString(createElement(LockstepProvider, { client }, createElement(JobLine, { id })));
  expect(html).toBe("<p>loading</p>");
  expect(asked).toEqual([]);
});

test("without a provider they say what is missing", () => {
  expect(() => renderToString(createElement(JobLine, { id: "1" }))).toThrow(
    "useJob, useJobEvents and useJobStream need a LockstepProvider above them",
  );
});
