import { localPeer, testDatabase } from "@lockstep/test-support";
import { createEngine, type Engine } from "lockstep";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type LocalSite, startLocalSite } from "../test-support/local-site.ts";
import { WebsiteAnalysisApp } from "../website-analysis-app.ts";
import { readWebsiteAnalysisConfig } from "../website-analysis-config.ts";
import { analysisServer } from "./analysis-server.ts";
import type { AnalysisView } from "./analysis-view.ts";
import type { StagePool } from "./stage-pools.ts";

const db = testDatabase();
const origin = "http://127.0.0.1:4600";
const secret = "a secret of at least thirty-two characters";
let site: LocalSite;
let app: WebsiteAnalysisApp;
let engine: Engine;
let server: ReturnType<typeof analysisServer>;

beforeAll(async () => {
  site = await startLocalSite();
  const env = {
    WEBSITE_ANALYSIS_ALLOW: site.host,
    WEBSITE_ANALYSIS_HOST_INTERVAL_MS: "0",
    WEBSITE_ANALYSIS_VISITOR_AT_ONCE: "3",
    WEBSITE_ANALYSIS_MAX_PENDING: "6",
  };
  app = new WebsiteAnalysisApp(readWebsiteAnalysisConfig(env), async () => db.url);
  engine = createEngine({
    databaseUrl: db.url,
    pipelines: [app.pipeline],
    logger: null,
    tokenSecret: secret,
  });
  await engine.migrate();
  server = analysisServer({ engine, app, secret });
});
afterAll(async () => {
  await server.stop();
  await engine.stop();
  await app.close();
  await site.stop();
});

/** A browser: it keeps its cookie. */
function visitor() {
  let cookie = "";
  return async (path: string, init: RequestInit & { from?: string } = {}) => {
    const { from = origin, ...options } = init;
    const headers = new Headers(options.headers);
    if (cookie !== "") headers.set("cookie", cookie);
    const answer = await server.fetch(new Request(`${from}${path}`, { ...options, headers }), localPeer);
    const given = answer.headers.get("set-cookie");
    if (given !== null) cookie = given.split(";")[0] ?? "";
    return answer;
  };
}
const asking = (url: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ url }),
});

test("an address becomes a job that has not started, as in the documents, and is its visitor's alone", async () => {
  const [ada, eve] = [visitor(), visitor()];
  const made = await ada("/app/analysis-jobs", asking(`${site.url}/plain`));
  expect(made.status).toBe(201);
  expect(made.headers.get("set-cookie")).toMatch(
    /^website_analysis_visitor=visitor-[0-9a-f-]{36}\.[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
  );
  const job = (await made.json()) as AnalysisView;
  expect(job).toMatchObject({
    ...{ status: "not-started", currentStep: "website-analysis", inProgress: false, retryCount: 0 },
    ...{ url: `${site.url}/plain`, report: null, ahead: 0 },
  });
  expect(await (await ada("/app/analysis-jobs")).json()).toMatchObject({
    jobs: [{ id: job.id, url: `${site.url}/plain` }],
  });
  expect(await (await eve("/app/analysis-jobs")).json()).toMatchObject({ jobs: [] });
  for (const path of ["", "/report.md", "/share"]) {
    const method = path === "/share" ? "POST" : "GET";
    expect((await eve(`/app/analysis-jobs/${job.id}${path}`, { method })).status).toBe(404);
  }
  expect((await eve(`/app/analysis-jobs/${job.id}/share`, { method: "DELETE" })).status).toBe(404);
  expect((await ada(`/app/analysis-jobs/${job.id}/share`, { method: "POST" })).status).toBe(409);
  expect((await ada("/app/analysis-jobs/nonsense")).status).toBe(404);
  // The engine's own API opens to the visitor's token, and to nothing without one.
  expect((await ada(`/lockstep/api/v1/jobs/${job.id}`)).status).toBe(401);
  const { token } = (await (await eve("/app/token", { method: "POST" })).json()) as { token: string };
  const withToken = { headers: { authorization: `Bearer ${token}` } };
  expect((await eve(`/lockstep/api/v1/jobs/${job.id}`, withToken)).status).toBe(404);
  await engine.cancel(job.id);
});

test("a forged cookie is nobody's", async () => {
  const ada = visitor();
  const { id } = (await (
    await ada("/app/analysis-jobs", asking(`${site.url}/page/1`))
  ).json()) as AnalysisView;
  const owner = (await engine.get(id))?.owner;
  const forged = visitor();
  const headers = { cookie: `website_analysis_visitor=${owner}.${"A".repeat(43)}` };
  const answer = await forged(`/app/analysis-jobs/${id}`, { headers });
  expect(answer.status).toBe(404);
  expect(answer.headers.get("set-cookie")).toContain("website_analysis_visitor=");
  await engine.cancel(id);
});

test.each([
  [null],
  ["example.com"],
  ["ftp://example.com/"],
  ["javascript:alert(1)"],
  [`https://e.example/${"x".repeat(3_000)}`],
  ["https://e.example/\0"],
  ["https://e.example/\ud83d"],
  [7],
])("what is no address is refused with a sentence: %j", async (url) => {
  const answer = await visitor()("/app/analysis-jobs", asking(url));
  expect(answer.status).toBe(422);
  expect(await answer.json()).toEqual({
    error: "This is not the address of a page. Enter a whole address, such as https://example.com.",
  });
});

test("a visitor has so many analyses at once, and all together so many wait", async () => {
  const ada = visitor();
  await ada("/app/analysis-jobs");
  const many = await Promise.all(
    Array.from({ length: 5 }, (_none, index) =>
      ada("/app/analysis-jobs", asking(`${site.url}/page/${index}`)),
    ),
  );
  expect(many.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429]);
  const refused = many.find(({ status }) => status === 429);
  expect(await refused?.json()).toEqual({
    error:
      "You have 3 analyses waiting or running, and more are not taken at once. Try again when one of them has ended.",
  });
  const others = Array.from({ length: 4 }, () =>
    visitor()("/app/analysis-jobs", asking(`${site.url}/plain`)),
  );
  const statuses = (await Promise.all(others)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 201, 201, 503]);
  for (const { id } of await engine.list({ status: "pending", limit: 100 })) await engine.cancel(id);
});

test("pages of other sites and other names of this machine are refused", async () => {
  const ada = visitor();
  expect((await ada("/app/analysis-jobs", { from: "http://evil.example:4600" })).status).toBe(403);
  const post = asking(`${site.url}/plain`);
  const crossed = { ...post, headers: { ...post.headers, origin: "http://evil.example" } };
  expect((await ada("/app/analysis-jobs", crossed)).status).toBe(403);
});

test("a finished report can be read, kept, compared and shared, and a link that is taken back opens nothing", async () => {
  await engine.start();
  const [ada, eve] = [visitor(), visitor()];
  const ids: string[] = [];
  for (const path of ["/plain", "/page/1"]) {
    const { id } = (await (
      await ada("/app/analysis-jobs", asking(`${site.url}${path}`))
    ).json()) as AnalysisView;
    await engine.result(id as never, { timeoutMs: 60_000 });
    ids.push(id);
  }
  const [id, other] = ids;
  const view = (await (await ada(`/app/analysis-jobs/${id}`)).json()) as AnalysisView;
  expect(view).toMatchObject({
    status: "completed",
    stages: [{ state: "done" }, { state: "done" }, { state: "done" }],
    report: {
      title: "The Harbour Bakery: fresh bread every morning",
      technologies: expect.arrayContaining([{ name: "jQuery", evidence: "jquery.min.js" }]),
      links: { internal: 2, external: 1 },
      preview: expect.stringContaining("rests for a whole day"),
    },
  });

  const markdown = await ada(`/app/analysis-jobs/${id}/report.md`);
  expect(markdown.headers.get("content-disposition")).toBe('attachment; filename="127.0.0.1.analysis.md"');
  expect(await markdown.text()).toMatch(
    /^# The Harbour Bakery: fresh bread every morning\n[\s\S]*## Audience[\s\S]*families[\s\S]*## Links/,
  );
  const json = await ada(`/app/analysis-jobs/${id}/report.json`);
  expect(await json.json()).toEqual(view.report);
  expect((await ada(`/app/analysis-jobs/${id}/report.exe`)).status).toBe(404);

  const compared = (await (await ada(`/app/comparisons/${id}/${other}`)).json()) as { comparison: object };
  expect(compared.comparison).toMatchObject({
    isSame: false,
    changes: expect.arrayContaining([expect.objectContaining({ part: "links" })]),
  });
  expect((await eve(`/app/comparisons/${id}/${other}`)).status).toBe(404);

  const { share } = (await (await ada(`/app/analysis-jobs/${id}/share`, { method: "POST" })).json()) as {
    share: string;
  };
  const seen = await eve(`/app/shared/${share}`);
  expect(seen.headers.get("set-cookie")).toBeNull();
  expect(await seen.json()).toMatchObject({ report: { title: view.report?.title } });
  expect((await eve(`/app/shared/${share}/report.md`)).status).toBe(200);
  expect((await eve(`/app/analysis-jobs/${id}`)).status).toBe(404);
  await ada(`/app/analysis-jobs/${id}/share`, { method: "DELETE" });
  expect((await eve(`/app/shared/${share}`)).status).toBe(404);
  expect((await eve(`/app/shared/${"x".repeat(32)}`)).status).toBe(404);
});

test("while its questions are asked, an analysis says how far they are and that it waits, and the pools count them", async () => {
  const stage = ["website-analysis:model-analysis:seo", "seo"] as const;
  await engine.pause(...stage);
  const ada = visitor();
  const { id } = (await (
    await ada("/app/analysis-jobs", asking(`${site.url}/page/3`))
  ).json()) as AnalysisView;
  const viewed = async () => (await (await ada(`/app/analysis-jobs/${id}`)).json()) as AnalysisView;
  const pools = async () => (await (await ada("/app/pools")).json()) as StagePool[];
  await vi.waitFor(
    async () =>
      expect((await viewed()).stages[2]).toEqual({
        ...{ name: "model-analysis", state: "waiting", percent: 600 / 7, note: null },
      }),
    30_000,
  );
  expect(await viewed()).toMatchObject({
    ...{ status: "model-analysis", currentStep: "model-analysis", inProgress: true, retryCount: 0 },
    ...{ ahead: 0, waitsFor: null, error: null, report: null },
    stages: [{ state: "done" }, { state: "done" }, { state: "waiting" }],
  });
  expect(await pools()).toEqual([
    { stage: "website-analysis", processors: 10, busy: 0, waiting: 0 },
    { stage: "prompt-forming", processors: 10, busy: 0, waiting: 0 },
    { stage: "model-analysis", processors: 70, busy: 0, waiting: 1 },
  ]);
  // Its words come on one connection, those that are there at once.
  const words = await ada(`/app/analysis-jobs/${id}/words`);
  expect(words.headers.get("content-type")).toMatch("text/event-stream");
  expect((await visitor()(`/app/analysis-jobs/${id}/words`)).status).toBe(404);
  await engine.resume(...stage);
  await engine.result(id as never, { timeoutMs: 60_000 });
  const view = await viewed();
  expect(view).toMatchObject({ status: "completed", stages: [{}, {}, { state: "done" }] });
  const told = (await words.text()).split("\n\n").filter((message) => message !== "");
  expect(told.at(-1)).toBe("event: end\ndata: {}");
  const texts: Record<string, string> = {};
  for (const message of told.slice(0, -1)) {
    const { question, words: more } = JSON.parse(message.replace("event: answer\ndata: ", ""));
    texts[question] = `${texts[question] ?? ""}${more}`;
  }
  for (const [question, answer] of Object.entries(view.report?.answers ?? {})) {
    const lines = [answer.summary, ...answer.points.map(({ text }) => `– ${text}`)];
    expect(texts[question]).toBe(lines.join("\n"));
  }
});

test("an analysis of which nothing was asked yet has no words, and the browser is told not to come back for them", async () => {
  const ada = visitor();
  const stage = ["website-analysis", "website-analysis"] as const;
  await engine.pause(...stage);
  const { id } = (await (
    await ada("/app/analysis-jobs", asking(`${site.url}/page/4`))
  ).json()) as AnalysisView;
  expect((await ada(`/app/analysis-jobs/${id}/words`)).status).toBe(204);
  await engine.cancel(id);
  await engine.resume(...stage);
});

test("an address with a password in it is refused with a sentence, and kept nowhere", async () => {
  const before = await db.query("select count(*) from lockstep.jobs");
  const url = `http://ada:pw-of-ada@${site.host}/plain`;
  for (const written of [url, url.replace("//", "///"), url.replace("ada:pw-of-ada", "ada")]) {
    const refused = await visitor()("/app/analysis-jobs", asking(written));
    expect(refused.status).toBe(422);
    expect(await refused.json()).toEqual({
      error:
        "Leave the user name and the password out of the address: addresses are kept, and reports can be shared.",
    });
    await expect(engine.add(app.pipeline, { url: written })).rejects.toThrow("must have no user name");
  }
  expect(await db.query("select count(*) from lockstep.jobs")).toEqual(before);
  // An @ of the path is none of a user.
  const taken = await visitor()("/app/analysis-jobs", asking(`${site.url}/plain?mail=ada@example.com`));
  expect(taken.status).toBe(201);
});
