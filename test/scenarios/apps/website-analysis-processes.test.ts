// Real processes, as people start them: an API without a worker, and a worker without an API.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { startLocalSite } from "../../../apps/website-analysis/src/test-support/local-site.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const app = fileURLToPath(new URL("../../../apps/website-analysis", import.meta.url));
const command = fileURLToPath(new URL("../../../packages/cli/src/start.ts", import.meta.url));

/** What `npm run lockstep -w apps/website-analysis -- …` starts. */
function lockstep(args: readonly string[], env: Record<string, string>) {
  const child = spawn(
    process.execPath,
    ["--conditions=@lockstep/source", "--import", "tsx", command, ...args, "--jsonl"],
    {
      cwd: app,
      env: { DATABASE_URL: db.url, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const ended = once(child, "close");
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString("utf8");
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async nextEvent(): Promise<Record<string, unknown>> {
      const { value, done } = await lines.next();
      if (done) throw new Error(`lockstep ${args[0]} ended and said:\n${errors}`);
      return JSON.parse(value);
    },
  };
}

test("a process with the API alone takes an address, and one with a worker alone analyses it", async () => {
  const site = await startLocalSite();
  onTestFinished(() => site.stop());
  const api = lockstep(["serve", "--port", "0"], {});
  lockstep(["work"], { WEBSITE_ANALYSIS_ALLOW: site.host });
  const { url } = await api.nextEvent();

  const refused = await fetch(`${url}/api/v1/jobs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pipeline: "website-analysis", payload: { url: "no address" } }),
  });
  expect(refused.status).toBe(422);
  const added = await fetch(`${url}/api/v1/jobs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pipeline: "website-analysis", payload: { url: `${site.url}/plain` } }),
  });
  expect(added.status).toBe(201);
  const { id } = (await added.json()) as { id: string };
  let job: { status?: string; result?: { analysedBy?: unknown; answers?: unknown[] } } = {};
  await until(
    "the job is completed",
    async () => {
      job = (await (await fetch(`${url}/api/v1/jobs/${id}`)).json()) as typeof job;
      return job.status === "completed";
    },
    { limitMs: 90_000 },
  );
  expect(job.result).toMatchObject({
    title: expect.stringContaining("Harbour Bakery"),
    analysedBy: { kind: "local" },
  });
  expect(job.result?.answers).toHaveLength(7);
});
