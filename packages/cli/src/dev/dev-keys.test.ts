import { chmod, mkdtemp, readFile, rm, watch, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../testing/run-cli.ts";

const db = testDatabase();

async function folderWithBrowser(): Promise<{ folder: string; browser: string }> {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-keys-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const browser = join(folder, "browser");
  // Under another name first, so that whoever sees the file sees all of it.
  await writeFile(browser, `#!/bin/sh\necho "$1" > ${folder}/part && mv ${folder}/part ${folder}/opened\n`);
  await chmod(browser, 0o755);
  return { folder, browser };
}

test("on a terminal the key o opens the console in the browser, and q ends as Ctrl-C does", async () => {
  const { folder, browser } = await folderWithBrowser();
  let ready: () => void = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  async function* keys() {
    await isReady;
    const looking = watch(folder);
    yield "xo";
    for await (const { filename } of looking) if (filename === "opened") break;
    yield "q";
  }
  const { code, stderr } = await runCli(["dev", "--port", "0"], {
    databaseUrl: db.url,
    cwd: folder,
    columns: 100,
    stdin: keys(),
    env: { BROWSER: browser },
    onTalk(text) {
      if (text.includes("press o to open the console, q or Ctrl-C to quit")) ready();
    },
  });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/opening http:[\s\S]*stopped\n$/),
  });
  expect(await readFile(join(folder, "opened"), "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
}, 120_000);
