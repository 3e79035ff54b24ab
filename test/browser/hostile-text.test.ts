import { testDatabase } from "@lockstep/test-support";
import { definePipeline, PermanentError } from "lockstep";
import { expect, test } from "vitest";
import { until } from "../scenarios/stories/until.ts";
import { attackStrings } from "./attack-strings.ts";
import { complaintsOf, describeInBrowser, storyBrowser } from "./browser.ts";
import { consoleSite } from "./console-site.ts";
import { isDrawn } from "./is-drawn.ts";

describeInBrowser("hostile text", () => {
  const db = testDatabase();
  const browser = storyBrowser();

  const withStatus = (status: string) =>
    db.query("select id from lockstep.unsuccessful_jobs where status::text = $1", [status]);

  test("1,000 attacks in a payload, and some in every other field, are shown as text", async () => {
    expect(attackStrings.length).toBe(1_000);
    const saying = definePipeline<unknown[]>("saying").stage(
      "say",
      { maxAttempts: 1 },
      ({ payload, log, progress }) => {
        for (const text of payload.map(String)) log.info(text, { [text]: text });
        progress(10, String(payload.at(-1)).slice(0, 200));
        throw new PermanentError(String(payload[0]));
      },
    );
    const { url, engine } = await consoleSite(db, { engine: { pipelines: [saying] } });
    await engine.start();
    const before = (await withStatus("failed")).length;
    // As keys and values, four in a line: so many lines are drawn at once.
    const lines = attackStrings.flatMap((key, at) =>
      at % 4 === 0 ? [[key, attackStrings.slice(at + 1, at + 4).join(" ")]] : [],
    );
    const { id } = await engine.add(saying, [Object.fromEntries(lines)]);
    const rows = Array.from({ length: 50 }, (_, number) =>
      attackStrings.slice(number * 20, number * 20 + 20),
    );
    await engine.addMany(
      saying,
      rows.map((texts) => ({
        payload: texts,
        owner: texts[1]?.slice(0, 200) ?? "",
        dedupKey: texts[2]?.slice(0, 200) ?? "",
        tags: texts.slice(3, 6).map((text) => text.slice(0, 100)),
      })),
    );
    await until("all have failed", async () => (await withStatus("failed")).length === before + 51);
    const page = await browser.open(url);
    const complaints = complaintsOf(page);
    let dialogs = 0;
    page.on("dialog", (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    const isHarmless = async (place: string) => {
      const strangers = await page.locator("img, iframe, object, embed, video, marquee").count();
      const isHacked = await page.evaluate("globalThis.isHacked");
      const links: string[] = await page.evaluate("[...document.links].map((link) => link.protocol)");
      const odd = links.filter((protocol) => !["http:", "https:"].includes(protocol));
      expect([place, strangers, isHacked, odd]).toEqual([place, 0, undefined, []]);
    };
    for (const path of ["/jobs", "/errors", `/jobs/${id}`]) {
      await page.goto(`${url}${path}`);
      await isDrawn(page);
      await isHarmless(path);
    }
    for (const tab of ["Payload", "Raw"]) {
      await page.getByRole("tab", { name: tab }).click();
      await isHarmless(tab);
    }
    const shown: number = await page.evaluate("document.body.innerText.split(/isHacked/i).length");
    expect(shown).toBeGreaterThan(1_000);
    expect([dialogs, complaints]).toEqual([0, []]);
  });

  test("whatever a job says is shown as text", async () => {
    const attack = `<img src=x onerror="globalThis.isHacked = true"><script>globalThis.isHacked = true</script>`;
    const speaking = definePipeline<object>("speaking").stage(
      "say",
      { maxAttempts: 1 },
      ({ log, progress }) => {
        log.info(attack, { [attack]: attack });
        progress(10, attack);
        const hostile = { name: attack, code: attack, stack: `Error: ${attack}\n    at ${attack}` };
        const cause = Object.assign(new AggregateError([Object.assign(new Error(attack), hostile)]), hostile);
        throw Object.assign(new PermanentError(attack, { cause }), { stack: hostile.stack });
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
