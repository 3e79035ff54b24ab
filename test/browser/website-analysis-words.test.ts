// The answers of a model on the page of website-analysis while they are written. In real time.
import { type Listening, listen } from "@lockstep/server";
import { axeFindings, testDatabase } from "@lockstep/test-support";
import { createEngine, type Engine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { analysisServer } from "../../apps/website-analysis/src/server/analysis-server.ts";
import { chooseAnalyst } from "../../apps/website-analysis/src/services/asking/choose-analyst.ts";
import { type LocalSite, startLocalSite } from "../../apps/website-analysis/src/test-support/local-site.ts";
import {
  type ModelServer,
  startModelServer,
} from "../../apps/website-analysis/src/test-support/model-server.ts";
import { WebsiteAnalysisApp } from "../../apps/website-analysis/src/website-analysis-app.ts";
import { readWebsiteAnalysisConfig } from "../../apps/website-analysis/src/website-analysis-config.ts";
import { websiteAnalysisPipeline } from "../../apps/website-analysis/src/website-analysis-pipeline.ts";
import { complaintsOf, describeInBrowser, seen, storyBrowser } from "./browser.ts";

const db = testDatabase();
const whole = "An answer to tone.\n– first\n– second";
let site: LocalSite;
let model: ModelServer;
let app: WebsiteAnalysisApp;
let engine: Engine;
let listening: Listening;

function gate<Value>() {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describeInBrowser("the words of an analysis", () => {
  const browser = storyBrowser();
  beforeAll(async () => {
    [site, model] = await Promise.all([startLocalSite(), startModelServer()]);
    const env = {
      ...{ WEBSITE_ANALYSIS_ALLOW: site.host, WEBSITE_ANALYSIS_HOST_INTERVAL_MS: "0" },
      ...{ MODEL_BASE_URL: model.openAiUrl, MODEL_NAME: "own-model" },
      ...{ MODEL_INPUT_USD_PER_MILLION: "0.4", MODEL_OUTPUT_USD_PER_MILLION: "2" },
    };
    const config = readWebsiteAnalysisConfig(env);
    app = new WebsiteAnalysisApp(config, async () => db.url);
    const secret = await app.visitors.secret();
    // As the app has it, but tried again at once.
    const pipeline = websiteAnalysisPipeline({
      config,
      analyst: chooseAnalyst(config.model),
      retry: { baseMs: 10 },
    });
    engine = createEngine({ databaseUrl: db.url, pipelines: [pipeline], logger: null, tokenSecret: secret });
    await engine.start();
    listening = await listen(
      analysisServer({ engine, app: { pipeline, visitors: app.visitors, shares: app.shares }, secret }),
      { port: 0 },
    );
  }, 120_000);
  afterAll(async () => {
    await listening?.stop();
    await engine?.stop();
    await app?.close();
    await Promise.all([site?.stop(), model?.stop()]);
  });

  test("appear on the page while the model writes, a retry shows none twice, and the report takes their place", async () => {
    const [tone, offer] = [gate<"cut">(), gate<"rest">()];
    model.behave("/plain", (question, time) => {
      if (question === "offer") return { half: offer.opened };
      return question === "tone" && time === 1 ? { half: tone.opened } : "answer";
    });
    const page = await browser.open(listening.url);
    const complaints = complaintsOf(page);
    await page.getByLabel("Address of a page").fill(`${site.url}/plain`);
    await page.getByRole("button", { name: "Analyse" }).click();

    const words = page.locator("[data-words=tone] .words");
    await seen(words).toHaveText("An answer");
    await seen(page.locator("[data-words=seo] .words")).toHaveText("An answer to seo. – first – second");
    // Everything that stands there from now on, however shortly.
    await page.evaluate(`{
      const node = document.querySelector("[data-words=tone] .words");
      window.stood = [node.textContent];
      new MutationObserver(() => stood.push(node.textContent)).observe(node, { childList: true, subtree: true });
    }`);
    tone.open("cut");
    await seen(words).toHaveText("An answer to tone. – first – second");
    const stood = (await page.evaluate("window.stood")) as string[];
    expect(stood[0]).toBe("An answer");
    expect(stood.at(-1)).toBe(whole);
    for (const text of stood) expect(whole.startsWith(text), text).toBe(true);
    expect(model.callsAbout("/plain").filter(({ question }) => question === "tone")).toHaveLength(2);
    expect(await axeFindings(page, "words")).toEqual([]);

    offer.open("rest");
    await seen(page.locator("[data-part=tone]")).toContainText("second");
    await seen(page.locator("[data-words=tone]")).toBeHidden();
    // Seven answers; nobody knows what the one that was cut has cost.
    await seen(page.locator("[data-part=budget]")).toHaveText(
      "Used today: 7,350 of 500,000 tokens, 0.0035 of 1 US dollars.",
    );
    expect(complaints).toEqual([]);
  });
});
