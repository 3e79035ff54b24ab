import { once } from "node:events";
import { testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { expect, test } from "vitest";
import { complaintsOf, describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { workingSite } from "./console-site.ts";

describeInBrowser("the log of a running job", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  test("grows on the job's page with its last line in view, and stays when the job has ended", async () => {
    const says = new EventTarget();
    const reading = definePipeline("reading").stage("read", async ({ log }) => {
      log.info("opened the book");
      await once(says, "more");
      for (let page = 1; page <= 40; page += 1) log.info(`read page ${page}`, { page });
      await once(says, "end");
      log.warn("closed the book");
    });
    const { url, engine } = await workingSite(db, { engine: { pipelines: [reading] } });
    const { id } = await engine.add(reading, {});
    const page = await browser.open(`${url}/jobs/${id}`);
    const complaints = complaintsOf(page);
    const log = page.getByRole("region", { name: "Log" });

    await seen(log.getByText("opened the book")).toBeVisible();
    await seen(page.locator("h1 [data-status=processing]")).toBeVisible();
    says.dispatchEvent(new Event("more"));
    await seen(log.getByText("read page 40")).toBeInViewport();
    await seen(log.getByText("opened the book")).not.toBeInViewport();
    await seen(page.locator("h1 [data-status=processing]")).toBeVisible();

    says.dispatchEvent(new Event("end"));
    await seen(page.locator("h1 [data-status=completed]")).toBeVisible();
    await seen(log.locator("p")).toHaveCount(42);
    await seen(log.getByText("closed the book")).toHaveCount(1);
    expect(complaints).toEqual([]);
  });
});
