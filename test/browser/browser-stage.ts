import { ensureConsole } from "@lockstep/console";
import { createServer, type Listening, listen, type ServerOptions } from "@lockstep/server";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  expect,
  type Page,
} from "@playwright/test";
import { createEngine, type Engine } from "lockstep";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { findChromium, launchChromium } from "./chromium.ts";
import { documentOcr, websiteAnalysis } from "./demo-pipelines.ts";

export const hasBrowser = findChromium() !== null;

/** For the titles of tests that cannot run without one. */
export const needsBrowser = "needs Chromium: apt-get install chromium, or say in CHROMIUM where it lies";

/** What is to be seen on a page, sooner or later: a machine may have other things to do. */
export const seen = expect.configure({ timeout: 15_000 });

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser's own log has of errors, and errors that nobody caught. */
  readonly complaints: string[];
}

/** A real server with a real worker on the file's database, and a browser to look at it. */
export class BrowserStage {
  readonly #databaseUrl: string;
  #browser: Browser | null = null;
  #engine: Engine | null = null;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
    beforeAll(async () => {
      if (!hasBrowser) return;
      await ensureConsole();
      this.#engine = createEngine({
        databaseUrl,
        pipelines: [websiteAnalysis, documentOcr],
        workerName: "worker-1",
        logger: null,
      });
      await this.#engine.start();
      this.#browser = await launchChromium();
    }, 120_000);
    afterAll(async () => {
      await this.#browser?.close();
      await this.#engine?.stop();
    });
  }

  get engine(): Engine {
    if (this.#engine === null) throw new Error("The stage is set up before the tests.");
    return this.#engine;
  }

  /** Until the test is over, or it is stopped. */
  async serve(options: Partial<ServerOptions> & { readonly port?: number } = {}): Promise<Listening> {
    const { port = 0, ...rest } = options;
    const engine = createEngine({
      databaseUrl: this.#databaseUrl,
      pipelines: [websiteAnalysis, documentOcr],
      logger: null,
    });
    const server = createServer({
      engine,
      access: "loopback",
      consoleFolder: await ensureConsole(),
      logger: null,
      ...rest,
    });
    const listening = await listen(server, { port });
    onTestFinished(async () => {
      await listening.stop();
      await engine.stop();
    });
    return listening;
  }

  async visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
    if (this.#browser === null) throw new Error("The stage is set up before the tests.");
    const context = await this.#browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: "en-GB",
      ...options,
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    onTestFinished(() => context.close());
    await page.goto(url);
    return { page, context, complaints };
  }
}
