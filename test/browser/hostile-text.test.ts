import { testDatabase } from "@lockstep/test-support";
import { definePipeline, PermanentError } from "lockstep";
import { expect, test } from "vitest";
import { until } from "../scenarios/until.ts";
import { complaintsOf, describeInBrowser, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";
import { isDrawn } from "./is-drawn.ts";

describeInBrowser("hostile text", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  const withStatus = (status: string) =>
    db.query("select id from lockstep.unsuccessful_jobs where status::text = $1", [status]);

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
