import { testDatabase } from "@lockstep/test-support";
import type { Page } from "@playwright/test";
import { definePipeline, PermanentError } from "lockstep";
import { expect, test } from "vitest";
import { until } from "../scenarios/until.ts";
import { complaintsOf, describeInBrowser, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";
import { gatedPipeline } from "./gated-pipeline.ts";
import { isDrawn } from "./is-drawn.ts";

const failing = definePipeline<{ doc: string }>("paper").stage("read", ({ payload }) => {
  throw new PermanentError(`Cannot read ${payload.doc}`);
});

describeInBrowser("steering", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  const withStatus = (status: string) =>
    db.query("select id from lockstep.unsuccessful_jobs where status::text = $1", [status]);

  /** What has the focus, as it is read out: enough of it to know where one is. */
  const focused = (page: Page) =>
    page.evaluate("(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()");

  async function tabTo(page: Page, name: string): Promise<void> {
    for (let steps = 0; steps < 60; steps += 1) {
      if ((await focused(page)) === name) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab never comes to "${name}".`);
  }

  test("jobs are added, filtered, opened and retried together without a mouse", async () => {
    const { pipeline } = gatedPipeline();
    const { url, engine } = await consoleSite(db, { engine: { pipelines: [pipeline, failing] } });
    await engine.start();
    for (const doc of ["a.pdf", "b.pdf"]) await engine.add(failing, { doc });
    await until("both have failed", async () => (await withStatus("failed")).length === 2);
    const page = await browser.open(url);
    await isDrawn(page);
    const { keyboard } = page;

    await keyboard.press("g");
    await keyboard.press("j");
    await page.locator("[data-row]").nth(1).waitFor();
    await tabTo(page, "Add job");
    await keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Add a job" });
    await dialog.waitFor();
    await dialog.getByLabel("Pipeline").focus();
    await keyboard.type("website");
    await dialog.getByLabel("Url").waitFor();
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.type("https://bicycles.example");
    await keyboard.press("Enter");
    await page.getByText("Job added").first().waitFor();
    await dialog.waitFor({ state: "detached" });

    await keyboard.press("/");
    await keyboard.type("status:failed");
    await keyboard.press("Enter");
    await page.waitForURL(/status=failed/);
    await expect.poll(() => page.locator("[data-row]").count(), { timeout: 30_000 }).toBe(2);
    await keyboard.press("Escape");
    await keyboard.press("Escape");
    await keyboard.press("j");
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1 }).filter({ hasText: "Failed" }).waitFor();
    await page.getByText("Cannot read").first().waitFor();

    await page.goBack();
    await page.locator("[data-row]").nth(1).waitFor();
    await keyboard.press("j");
    await keyboard.press("x");
    await keyboard.press("j");
    await keyboard.press("x");
    await page.getByText("2 selected on this page").waitFor();
    await keyboard.press("r");
    await page.getByRole("dialog", { name: "Retry 2 jobs?" }).waitFor();
    await tabTo(page, "Retry them");
    await keyboard.press("Enter");
    await page.getByText("Retry started").first().waitFor();
    await until("both have failed again", async () => {
      const rows = await db.query("select from lockstep.unsuccessful_jobs where cardinality(history) > 0");
      return rows.length === 2;
    });
  });

  test("under a path of a larger application nothing complains, and every address can be reloaded", async () => {
    const { url, engine } = await consoleSite(db, {
      engine: { pipelines: [failing] },
      server: { mountPath: "/ops/jobs" },
    });
    const { id } = await engine.add(failing, { doc: "d.pdf" });
    expect(url).toMatch(/\/ops\/jobs$/);
    const page = await browser.open("about:blank");
    const complaints = complaintsOf(page);
    const policy = (await page.goto(url))?.headers()["content-security-policy"];
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("unsafe");
    await isDrawn(page);
    await page.getByRole("link", { name: /^Jobs/ }).first().click();
    await page.waitForURL(`${url}/jobs`);
    await page.locator(`[data-job="${id}"]`).click();
    await page.waitForURL(`${url}/jobs/${id}`);
    const paths = [
      `/jobs/${id}`,
      "/jobs?status=pending",
      "/pipelines/paper",
      "/workers",
      "/errors",
      "/settings",
    ];
    for (const path of paths) {
      await page.goto(`${url}${path}`);
      await page.reload();
      await isDrawn(page);
      expect(page.url()).toBe(`${url}${path}`);
    }
    expect(complaints).toEqual([]);
  });

  test("whatever a job says is shown as text", async () => {
    const attack = `<img src=x onerror="globalThis.isHacked = true"><script>globalThis.isHacked = true</script>`;
    const speaking = definePipeline<object>("speaking").stage(
      "say",
      { maxAttempts: 1 },
      ({ log, progress }) => {
        log.info(attack, { [attack]: attack });
        progress(10, attack);
        throw Object.assign(new PermanentError(attack), { stack: `Error: ${attack}\n    at ${attack}` });
      },
    );
    const { url, engine } = await consoleSite(db, {
      engine: { pipelines: [speaking], workerName: attack.slice(0, 60) },
    });
    await engine.start();
    const before = (await withStatus("failed")).length;
    const names = { owner: attack, dedupKey: attack, tags: [attack] };
    const { id } = await engine.add(speaking, { [attack]: attack }, names);
    await until("it has failed", async () => (await withStatus("failed")).length === before + 1);
    const page = await browser.open(url);
    const complaints = complaintsOf(page);
    const filter = encodeURIComponent(`owner:"${attack.replaceAll('"', "'")}"`);
    const paths = [
      "/",
      "/jobs",
      `/jobs/${id}`,
      "/errors",
      "/workers",
      "/pipelines",
      `/jobs?filter=${filter}`,
    ];
    for (const path of paths) {
      await page.goto(`${url}${path}`);
      await isDrawn(page);
      expect([path, await page.locator("img").count()]).toEqual([path, 0]);
    }
    await page.goto(`${url}/jobs/${id}`);
    await page.getByText(attack).first().waitFor();
    for (const tab of ["Payload", "Raw"]) await page.getByRole("tab", { name: tab }).click();
    expect(await page.evaluate("globalThis.isHacked")).toBeUndefined();
    expect(complaints).toEqual([]);
  });
});
