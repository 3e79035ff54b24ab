import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { runExample } from "./run-example.ts";
import { sites } from "./website-analysis.ts";

// Whole processes: they take seconds of real time, and longer on a busy machine.
const limitMs = 120_000;
const db = testDatabase();
beforeEach(() => db.reset());

const stages = ["website-analysis", "prompt-forming", "model-analysis"];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // As root the server runs as another user, who must be able to enter.
  chmodSync(folder, 0o755);
  return folder;
}

/** What was printed of one job, without the times. */
function linesOf(output: string, site: string): string[] {
  const lines = output.split("\n").filter((line) => /^\d\d:\d\d:\d\d\.\d{3} {2}/.test(line));
  return lines.map((line) => line.slice(14)).filter((line) => line.startsWith(site));
}

test(
  "in a fresh folder, npm start runs six jobs through three stages and ends by itself",
  async () => {
    const folder = newFolder();
    const { output, errors, code } = await runExample("start.ts", { folder });

    expect(errors).toBe("");
    expect(output).toContain("6 of 6 jobs completed.");
    expect(code).toBe(0);
    expect(existsSync(join(folder, ".lockstep", "postgres"))).toBe(true);
    for (const { site } of sites) {
      const lines = linesOf(output, site);
      expect(lines[0]).toMatch(/ added$/);
      for (const stage of stages) expect(lines.join("\n")).toContain(`${stage.padEnd(18)}attempt 1`);
      expect(lines.at(-1)).toMatch(/model-analysis +done in \d+ ms, the job is completed$/);
    }
  },
  limitMs,
);

test(
  "one job fails once and is retried, and the table counts its tries",
  async () => {
    const { output } = await runExample("start.ts", { env: { DATABASE_URL: db.url } });

    expect(output).toContain("PostgreSQL: the one of DATABASE_URL");
    const lines = linesOf(output, "cinema.example").filter((line) => line.includes(" model-analysis "));
    expect(lines.map((line) => line.replace(/^\S+ +\S+ +|\d+ ms/g, ""))).toEqual([
      "attempt 1",
      "failed (the model is busy), will be retried",
      "attempt 2",
      "done in , the job is completed",
    ]);
    expect(output).toMatch(/^model-analysis +7 +1 +\d+ ms +0 +6$/m);
    expect(await db.call("verify")).toEqual([]);
  },
  limitMs,
);

test(
  "Ctrl-C drains without a loss, and the next start goes on with what is left",
  async () => {
    const env = { DATABASE_URL: db.url };
    let isSignalled = false;
    const first = await runExample("start.ts", {
      env,
      onOutput: (output, signal) => {
        if (isSignalled || !output.includes("attempt 1")) return;
        isSignalled = true;
        signal("SIGINT");
      },
    });
    expect(first.output).toContain("Draining");
    expect(first.output).not.toContain("jobs completed.");
    expect(first.code).toBe(0);
    const left = await db.call<{ status: string; losses: number }>("list_jobs");
    expect(left).toHaveLength(sites.length);
    const live = left.filter(
      ({ status, losses }) => ["pending", "retrying"].includes(status) && losses === 0,
    );
    // On a slow machine one may have got through before the signal came.
    expect(live.length + left.filter(({ status }) => status === "completed").length).toBe(sites.length);

    const second = await runExample("start.ts", { env });
    expect(second.output.match(/was there already/g)).toHaveLength(live.length);
    expect(second.output).toContain("6 of 6 jobs completed.");
  },
  limitMs,
);

test(
  "a database that does not answer is told in one sentence",
  async () => {
    const { errors, code } = await runExample("start.ts", {
      env: { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" },
    });
    expect(errors).toMatch(/^PostgreSQL does not answer: .*\.\n$/);
    expect(code).toBe(1);
  },
  limitMs,
);
