import { FetchError, type Fetched } from "@lockstep/guarded-fetch";
import { expect, test } from "vitest";
import { RobotsRefusal, RobotsRules } from "./robots-rules.ts";

/** Rules whose robots.txt answers as told, each time with the next. */
function rulesOf(...answers: ({ status: number; text?: string | Iterable<string> } | Error)[]) {
  const asked: string[] = [];
  const clock = { nowMs: 0 };
  const rules = new RobotsRules({
    userAgent: "OurRobot",
    nowMs: () => clock.nowMs,
    fetch: {
      async get(address, { onChunk }): Promise<Fetched> {
        asked.push(String(address));
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer");
        const { status, text = "" } = answer;
        for (const chunk of typeof text === "string" ? [text] : text) await onChunk?.(Buffer.from(chunk));
        return { url: new URL(address), status, headers: {}, body: Buffer.alloc(0), redirects: [] };
      },
    },
  });
  const check = (path: string, signal = new AbortController().signal) =>
    rules.check(new URL(path, "https://site.example"), signal);
  return { check, asked, clock };
}

test("the rules for our own name are followed, and those for all when there are none", async () => {
  const { check } = rulesOf({
    status: 200,
    text: "User-agent: *\nDisallow: /\n\nUser-agent: OurRobot\nDisallow: /private\nAllow: /private/open\n",
  });
  await check("/");
  await check("/private/open");
  await expect(check("/private/x")).rejects.toThrow(RobotsRefusal);

  const all = rulesOf({ status: 200, text: "User-agent: *\nDisallow: /*.php$\n" });
  await all.check("/index.php5");
  await expect(all.check("/index.php")).rejects.toThrow("asks robots not to read /index.php");
});

test.each([
  ["404", { status: 404 }],
  ["403", { status: 403 }],
  ["a page of HTML", new FetchError("type", "text/html")],
])("a site that answers with %s has no rules", async (_what, answer) => {
  await rulesOf(answer).check("/anything");
});

test.each([
  ["503", { status: 503 }],
  ["429", { status: 429 }],
  ["nothing", new FetchError("timeout", "no answer", { isFinal: false })],
])("a site that answers with %s is not read now, and asked again by the next", async (_what, answer) => {
  const { check, asked } = rulesOf(answer, { status: 404 });
  await expect(check("/page")).rejects.toMatchObject({ name: "FetchError", isFinal: false });
  await check("/page");
  expect(asked).toHaveLength(2);
});

test("a site is asked once in ten minutes, and each origin for itself", async () => {
  const { check, asked, clock } = rulesOf({ status: 404 });
  await Promise.all([check("/a"), check("/b"), check("http://site.example/")]);
  clock.nowMs = 599_999;
  await check("/c");
  expect(asked).toEqual(["https://site.example/robots.txt", "http://site.example/robots.txt"]);
  clock.nowMs = 600_001;
  await check("/c");
  expect(asked).toHaveLength(3);
});

test("a job that is cancelled stops waiting, and does not stop the others that wait for the same answer", async () => {
  const { check } = rulesOf({ status: 404 });
  const stop = new AbortController();
  stop.abort(new Error("cancelled"));
  const others = check("/a");
  await expect(check("/a", stop.signal)).rejects.toThrow("cancelled");
  await others;
});

test("of an endless file the first 500 KiB are followed, up to the last whole line, and no more is read", async () => {
  let chunks = 0;
  function* endless() {
    yield "User-agent: *\nDisallow: /private\n";
    for (;;) {
      chunks += 1;
      // A thousand bytes.
      yield `Disallow: /${"x".repeat(988)}\n`;
    }
  }
  const { check } = rulesOf({ status: 200, text: endless() });
  await check("/");
  await expect(check("/private/page")).rejects.toThrow(RobotsRefusal);
  await check(`/${"x".repeat(987)}`);
  expect(chunks).toBe(512);
});

test("a rule that is cut off at the end of what is read forbids nothing", async () => {
  const before = "User-agent: *\n";
  const filling = `#${"-".repeat(512_000 - before.length - "#\nDisallow: /".length)}\n`;
  const { check } = rulesOf({ status: 200, text: `${before}${filling}Disallow: /private\n` });
  await check("/open");
  await check("/private");
});

test("files as long as may be are not all kept, however many sites have one", async () => {
  const text = `User-agent: *\n${`Disallow: /${"x".repeat(1_000)}\n`.repeat(500)}`;
  const { check, asked } = rulesOf({ status: 200, text });
  for (let site = 0; site < 20; site += 1) await check(`https://${site}.example/`);
  expect(asked).toHaveLength(20);
  await check("https://19.example/");
  expect(asked).toHaveLength(20);
  await check("https://0.example/");
  expect(asked).toHaveLength(21);
});
