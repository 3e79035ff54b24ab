import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childProgram } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";

const start = new URL("../../../scripts/start.ts", import.meta.url).href;

test("npm start has the pages of the apps beside the console, and ends all of them with one signal", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-start-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // As root the server runs as another user, who must be able to enter.
  chmodSync(folder, 0o755);
  const program = childProgram(`
    process.chdir(${JSON.stringify(folder)});
    process.argv.splice(1, Infinity, "start", "dev", "--demo", "--port", "0");
    await import(${JSON.stringify(start)});
  `);
  const lines = [await program.nextLine(), await program.nextLine(), await program.nextLine()];
  const addresses = lines.map((line) => /(http:\S+)$/.exec(line)?.[1] ?? "");
  expect(lines.map((line) => line.replace(/ http:\S+$/, "")).sort()).toEqual([
    "  ✔ analysis page of apps/website-analysis",
    "  ✔ page of apps/daily-brief",
    "  ✔ upload page of apps/document-ocr",
  ]);
  for (const address of addresses) {
    const page = await fetch(address);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.status).toBe(200);
  }

  program.kill("SIGINT");
  const { code, errors } = await program.ended;
  expect(code).toBe(0);
  // The pages leave before the database does.
  expect(errors).not.toContain("database.down");
  for (const address of addresses) await expect(fetch(address)).rejects.toThrow("fetch failed");
});
