import type { TestDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { freePort } from "../../packages/local-postgres/src/free-port.ts";
import { findChromium, launchChromium } from "../browser/chromium.ts";
import type { FrameworkFolder, Project } from "./framework-folder.ts";
import { NextEdits } from "./next-edits.ts";
import { untilAnswer } from "./requests.ts";
import type { RunningScript } from "./running-script.ts";

const operatorToken = "a-token-of-the-operator-0123456789";

export function nextProjectWorks(folder: FrameworkFolder, db: TestDatabase): void {
  test("Next: the form adds a job, the page follows it, edits leave no connection, and it stops cleanly", async (context) => {
    const project = await folder.example(context, "next");
    const edits = await NextEdits.of(project, "lib/lockstep.ts", "lockstep().engine");
    const { url, script } = await start(project, db, "dev");
    const id = await addByForm(url, "May");
    const token = /token\W+([\w.-]{40,})/.exec(await text(`${url}/reports/${id}`))?.[1];
    const own = `${url}/lockstep/api/v1/jobs`;
    const done = { status: "completed", result: { title: "Report of May", pages: 4 } };
    await untilAnswer(`${own}/${id}`, done, { authorization: `Bearer ${token}` });
    expect((await fetch(own)).status).toBe(401);
    await consoleIsThere(`${url}/lockstep`);
    expect((await fetch(`${url}/reports/nonsense`)).status).toBe(404);

    await edits.leaveNoConnection(url, db);
    if (findChromium() !== null) await followInBrowser(url, db);
    await stopCleanly(script, db);
    await project.tool("tsc");
  }, 240_000);
}

/** The production build, for which most of the time goes into building. */
export function nextBuildWorks(folder: FrameworkFolder, db: TestDatabase): void {
  test("Next: the production build needs no database, runs jobs, and stops cleanly", async (context) => {
    const project = await folder.example(context, "next");
    await project.tool("next", ["build"]);
    const { url, script } = await start(project, db, "start");
    const id = await addByForm(url, "June");
    await expect
      .poll(async () => (await db.call("get_job", { p_id: id }))[0], { timeout: 60_000 })
      .toMatchObject({ status: "completed" });
    await stopCleanly(script, db);
  }, 300_000);
}

async function start(project: Project, db: TestDatabase, name: string) {
  const port = await freePort();
  const env = {
    DATABASE_URL: db.url,
    LOCKSTEP_TOKEN_SECRET: "a-secret-of-the-test-0123456789012345",
    OPERATOR_TOKEN: operatorToken,
  };
  const script = project.start(name, env, `--hostname 127.0.0.1 --port ${port}`);
  await script.until("Ready");
  return { url: `http://127.0.0.1:${port}`, script };
}

/** As a browser without JavaScript sends it. */
async function addByForm(url: string, month: string): Promise<string> {
  const form = new FormData();
  form.set(/\$ACTION_ID_\w+/.exec(await text(url))?.[0] ?? "", "");
  form.set("month", month);
  const answer = await fetch(url, {
    method: "POST",
    body: form,
    headers: { origin: url },
    redirect: "manual",
  });
  expect(answer.status).toBe(303);
  return answer.headers.get("location")?.split("/").at(-1) ?? "";
}

/** Its page and the script that the page loads, for whoever has the operator's token. */
async function consoleIsThere(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${operatorToken}`, accept: "text/html" };
  const page = await (await fetch(url, { headers })).text();
  const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1] ?? "none";
  expect((await fetch(new URL(script, url), { headers })).headers.get("content-type"), page).toContain(
    "javascript",
  );
}

async function followInBrowser(url: string, db: TestDatabase): Promise<void> {
  await db.call("pause_stage", { p_pipeline: "report", p_stage: "write" });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(url);
    await page.getByLabel("Month").fill("July");
    await page.getByRole("button", { name: "Write the report" }).click();
    await page.getByText("pending, write").waitFor();
    await db.call("resume_stage", { p_pipeline: "report", p_stage: "write" });
    await page.getByText('Done: {"pages":4,"title":"Report of July"}').waitFor();
  } finally {
    await browser.close();
  }
}

async function stopCleanly(script: RunningScript, db: TestDatabase): Promise<void> {
  expect(await script.stop(), script.output).toBe(0);
  // A worker that was cut off stays until its lease ends.
  await expect.poll(() => db.call("active_workers"), { timeout: 20_000 }).toEqual([]);
}

async function text(url: string): Promise<string> {
  return await (await fetch(url)).text();
}
