import { once } from "node:events";
import { testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { expect, test } from "vitest";
import { complaintsOf, describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { workingSite } from "./console-site.ts";

describeInBrowser("the stream of a running job", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  test("grows on the job's page, begins anew with a retry, and stays when the job has ended", async () => {
    const says = new EventTarget();
    const story = definePipeline("story").stage(
      "tell",
      { retry: { kind: "constant", baseMs: 1 } },
      async ({ stream, attempt }) => {
        const text = stream("text");
        await text.write(`Attempt ${attempt}: `);
        await text.write("once upon ");
        await once(says, "more");
        await text.write("a time");
        if (attempt === 1) throw new Error("the model went away");
        await text.write({ tokens: 7 });
        await once(says, "end");
      },
    );
    const { url, engine } = await workingSite(db, { engine: { pipelines: [story] } });
    const { id } = await engine.add(story, {});
    const page = await browser.open(`${url}/jobs/${id}`);
    const complaints = complaintsOf(page);
    const stream = page.getByRole("region", { name: "Stream text" });

    await seen(stream).toContainText("Attempt 1: once upon");
    says.dispatchEvent(new Event("more"));
    await seen(stream).toContainText("Attempt 2: once upon");
    await seen(stream).not.toContainText("Attempt 1");
    says.dispatchEvent(new Event("more"));
    await seen(stream).toContainText('a time{"tokens":7}');
    says.dispatchEvent(new Event("end"));
    await seen(page.locator("h1 [data-status=completed]")).toBeVisible();
    await seen(stream).toHaveText('Attempt 2: once upon a time{"tokens":7}');
    expect(complaints).toEqual([]);
  });
});
