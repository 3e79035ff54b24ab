// In real time: the subject is how a list looks while much happens.
import { setTimeout as sleep } from "node:timers/promises";
import { testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { expect, test } from "vitest";
import { describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";

const rows = 20;

/** Tells of itself every quarter of a second, for three seconds. */
const ticking = definePipeline<object>("ticking").stage(
  "tick",
  { processors: rows },
  async ({ progress, signal }) => {
    for (let percent = 8; percent < 100; percent += 8) {
      await sleep(250, undefined, { signal });
      progress(percent, `${percent} of 100`);
    }
  },
);

describeInBrowser("a busy list", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  test("at twenty changes a second rows change in their place, and nothing on the page moves", async () => {
    const { url, engine } = await consoleSite(db, { engine: { pipelines: [ticking] } });
    await db.call("define_pipeline", { p_name: "ticking", p_stages: [{ name: "tick" }] });
    const added = await engine.addMany(
      ticking,
      Array.from({ length: rows }, () => ({ payload: {} })),
    );
    const page = await browser.open(`${url}/jobs?filter=pipeline:ticking`);
    await seen(page.locator("[data-row]")).toHaveCount(rows);
    await seen(page.locator("[data-live=live]")).toBeVisible();
    await page.evaluate(watching);

    await engine.start();
    await seen(page.locator("[data-row] [data-status=completed]")).toHaveCount(rows);
    const { changes, moves, shift } = await page.evaluate<Watched>("globalThis.watched()");
    expect(moves).toEqual([]);
    expect(shift).toBeLessThan(0.01);
    // Each row at least once on its way, besides its beginning and its end.
    expect(changes).toBeGreaterThan(rows);
    const shown = await page.locator("[data-row]").all();
    const ids = await Promise.all(shown.map((row) => row.getAttribute("data-row")));
    expect(ids.toSorted()).toEqual(added.map(({ id }) => id).toSorted());
  });
});

interface Watched {
  /** How often a bar went on. */
  readonly changes: number;
  /** Rows that are no longer where they were. */
  readonly moves: readonly string[];
  /** The browser's own measure of what moved without anybody's doing. */
  readonly shift: number;
}

// In the page, where there are other types than here.
const watching = `(() => {
  let changes = 0;
  let shift = 0;
  const places = () => new Map([...document.querySelectorAll("[data-row]")].map((row) => [row.dataset.row, row.getBoundingClientRect().top]));
  const before = places();
  new MutationObserver((all) => { changes += all.length; }).observe(document.querySelector("main"), { subtree: true, attributeFilter: ["aria-valuenow"] });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) shift += entry.value; }).observe({ type: "layout-shift" });
  globalThis.watched = () => ({ changes, shift, moves: [...places()].filter(([id, top]) => before.get(id) !== top).map(([id]) => id) });
})()`;
