// In real time, since whole processes are the subject.

import { chmodSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, connect as dial, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ChildProgram, childProgram, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../testing/run-cli.ts";
import { socketsOf } from "../testing/sockets-of.ts";

const db = testDatabase();
const start = new URL("../start.ts", import.meta.url).href;
const limitMs = 120_000;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-dev-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // As root the server runs as another user, who must be able to enter.
  chmodSync(folder, 0o755);
  return folder;
}

/** `lockstep dev` as a process of its own. */
function dev(folder: string, env: Record<string, string> = {}): ChildProgram {
  const program = `
    process.chdir(${JSON.stringify(folder)});
    process.argv.splice(1, Infinity, "lockstep", "dev", "--jsonl", "--port", "0");
    await import(${JSON.stringify(start)});
  `;
  return childProgram(program, { env });
}

/** What has started, as people read it: without what differs from run to run. */
function startedIn(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("  ✔"))
    .map((line) => line.replace(/ +\d+\.\d s$/, "").replace(/:\d{4,5}\b/g, ":port"))
    .map((line) => line.replace(/version (\d+|…)$/, "version").replace(/: [0-9a-f…-]+$/, ": id"))
    .sort();
}

interface DevEvent {
  event: string;
  url: string;
  jobId: string;
}

async function next(program: ChildProgram, event: string): Promise<DevEvent> {
  for (;;) {
    const value = await program.nextValue<DevEvent>();
    if (value.event === event) return value;
  }
}

test(
  "in an empty folder a database, a worker and the API start on this machine alone, and a first job completes",
  async () => {
    const folder = await newFolder();
    const first = dev(folder);
    const { url } = await next(first, "ready");
    const { jobId } = await next(first, "job.completed");
    const job = await fetch(`${url}/api/v1/jobs/${jobId}`).then((response) => response.json());
    expect(job).toMatchObject({ pipeline: "demo", status: "completed", result: { differentWords: 18 } });

    const pidFile = join(folder, ".lockstep", "postgres", "data", "postmaster.pid");
    const serverPid = Number((await readFile(pidFile, "utf8")).split("\n")[0]);
    const sockets = [first.pid, serverPid].flatMap(socketsOf);
    expect(sockets.filter((socket) => !/^127\.0\.0\.1 (listens|to 127\.0\.0\.1)$/.test(socket))).toEqual([]);
    if (process.platform === "linux")
      expect(sockets.filter((socket) => /listens/.test(socket)).length).toBe(2);

    // The password of the database stands in it.
    expect((await stat(join(folder, ".lockstep", "dev.json"))).mode & 0o777).toBe(0o600);
    const second = await runCli(["dev"], { cwd: folder });
    expect(second.stderr).toContain(
      `lockstep dev is already running in this folder: ${url} (process ${first.pid}).`,
    );
    expect(second.code).toBe(1);
    expect((await runCli(["doctor"], { cwd: folder })).code).toBe(0);

    // The database dies, and is started again under the same address. The banner asks it for the first job's result.
    await expect.poll(() => startedIn(first.errors), { timeout: 30_000 }).toHaveLength(5);
    process.kill(serverPid, "SIGKILL");
    const again = async () =>
      (
        await fetch(`${url}/api/v1/jobs`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ pipeline: "demo", payload: { title: "t", text: "after", stepMs: 0 } }),
        })
      ).status;
    await expect.poll(again, { timeout: 30_000, interval: 250 }).toBe(201);
    await next(first, "job.completed");

    // As npm does it: the terminal's signal, and the same passed on.
    first.kill("SIGINT");
    first.kill("SIGINT");
    const { code, errors } = await first.ended;
    expect([code, errors]).toEqual([0, expect.stringMatching(/stopped\n$/)]);
    const page = await readFile(new URL("../../../../docs/cli.md", import.meta.url), "utf8");
    expect(startedIn(errors)).toEqual(startedIn(page));
    await expect(stat(join(folder, ".lockstep", "dev.json"))).rejects.toThrow("ENOENT");

    // What was there is there again, and no second demo job.
    const later = dev(folder);
    const { url: laterUrl } = await next(later, "ready");
    const list = await fetch(`${laterUrl}/api/v1/jobs`).then((response) => response.json());
    expect(list).toMatchObject({ data: [{ status: "completed" }, { id: jobId, status: "completed" }] });
    later.kill("SIGTERM");
    expect(await later.ended).toMatchObject({ code: 0 });
  },
  limitMs,
);

test(
  "a database that does not answer yet is waited for, and the server says so until it does",
  async () => {
    const folder = await newFolder();
    const gate = await closedGate();
    onTestFinished(() => gate.close());
    const statuses: number[] = [];
    let url = "";
    const look = async (accept: string): Promise<string> => {
      const response = await fetch(url, { headers: { accept } });
      statuses.push(response.status);
      const text = await response.text();
      // From source the console may have to be built first; until then the page says that all of it starts.
      return text.includes("Lockstep is starting") ? await look(accept) : text;
    };
    let page: Promise<string> | null = null;
    const run = await runCli(["dev", "--jsonl", "--port", "0"], {
      databaseUrl: gate.through(db.url),
      cwd: folder,
      onOutput(stdout, { signal }) {
        url = /"url":"([^"]+)"/.exec(stdout)?.[1] ?? "";
        if (stdout.includes("job.completed")) signal("SIGTERM");
      },
      onTalk(stderr) {
        if (page !== null || !stderr.includes("PostgreSQL does not answer")) return;
        page = look("text/html").finally(() => gate.open());
      },
    });
    expect(await page).toContain("PostgreSQL does not answer");
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(run.jsonl<DevEvent>().map(({ event }) => event)).toEqual(
      expect.arrayContaining(["listening", "ready", "job.completed"]),
    );
    expect(run.code).toBe(0);
  },
  limitMs,
);

const pipelines = `
  import { once } from "node:events";
  import { definePipeline } from "lockstep";
  export const orders = definePipeline("orders").stage("read", async ({ payload, signal }) => {
    await once(process, "SIGINT");
    if (payload === "short") return { isAborted: signal.aborted };
    await once(signal, "abort");
    throw signal.reason;
  });
`;

test(
  "the pipelines of a pipelines.ts run in place of the demo; Ctrl-C lets what runs end, another one gives it back",
  async () => {
    const folder = await newFolder();
    await writeFile(join(folder, "pipelines.ts"), pipelines);
    await mkdir(join(folder, "node_modules"));
    const engine = fileURLToPath(new URL("../../../engine", import.meta.url));
    await symlink(engine, join(folder, "node_modules", "lockstep"));
    const program = dev(folder, { DATABASE_URL: db.url });
    await next(program, "ready");
    for (const payload of ["short", "long"])
      await db.call("add_job", { p_pipeline: "orders", p_payload: payload });
    for (let count = 0; count < 2; count++) await next(program, "job.started");

    program.kill("SIGINT");
    const { jobId } = await next(program, "job.completed");
    const jobs = () => db.call("list_jobs", { p_filter: { pipeline: "orders" } });
    expect(await db.call("get_job", { p_id: jobId })).toMatchObject([{ result: { isAborted: false } }]);
    expect(await jobs()).toMatchObject([{ status: "processing" }, { status: "completed" }]);

    // What comes sooner is taken for the same order, which npm passes on.
    await new Promise((resolve) => setTimeout(resolve, 350));
    program.kill("SIGINT");
    const { code, errors } = await program.ended;
    expect(errors).toContain("  ✔ 1 worker, 1 stage of orders (pipelines.ts)");
    expect(code).toBe(130);
    expect(await jobs()).toMatchObject([
      { status: "pending", attempt: 0, losses: 0 },
      { status: "completed" },
    ]);
  },
  limitMs,
);

/** A port that leads to the database once it is opened; before, nobody listens there. */
async function closedGate() {
  const target = new URL(db.url);
  const sockets = new Set<{ destroy(): void }>();
  const server: Server = createServer((socket) => {
    const onward = dial(Number(target.port), target.hostname);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on("error", () => {});
      end.on("close", () => {
        sockets.delete(end);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
  return {
    through(url: string): string {
      const through = new URL(url);
      through.host = `127.0.0.1:${port}`;
      return through.href;
    },
    open: () => void server.listen(port, "127.0.0.1"),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
