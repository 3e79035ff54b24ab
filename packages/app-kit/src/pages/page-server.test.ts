import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageFiles } from "./page-files.ts";
import { pageServer } from "./page-server.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "page-"));
  await writeFile(join(folder, "index.html"), "<p>Hello</p>");
  await writeFile(join(folder, "page.ts"), 'import { word } from "./word.ts";\ndocument.title = word;\n');
  await writeFile(join(folder, "word.ts"), 'export const word: string = "mill";\n');
  await writeFile(join(folder, "secret.txt"), "secret");
});
afterAll(() => rm(folder, { recursive: true }));

function server() {
  const routes = new Hono()
    .get("/people", (context) => context.json([{ id: "ada" }]))
    .post("/fail", () => {
      throw new Error("broken");
    });
  return pageServer({
    api: { fetch: async () => new Response("the API"), stop: async () => {} },
    pages: new PageFiles(pathToFileURL(`${folder}/`), { "/": "index.html", "/page.js": "page.ts" }),
    routes,
  });
}
const ask = (path: string, init: RequestInit = {}, host = "http://127.0.0.1:4400") =>
  server().fetch(new Request(`${host}${path}`, init), undefined as never);

test("the page's files, what it asks for and the API lie side by side", async () => {
  const page = await ask("/");
  expect(await page.text()).toBe("<p>Hello</p>");
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": expect.stringContaining("default-src 'none'; script-src 'self';"),
    "x-content-type-options": "nosniff",
  });
  expect(await (await ask("/app/people")).json()).toEqual([{ id: "ada" }]);
  expect(await (await ask("/lockstep/api/v1/jobs")).text()).toBe("the API");
});

test("a script in TypeScript comes as one script for browsers", async () => {
  const script = await ask("/page.js");
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(await script.text()).toMatch(/word = "mill";[\s\S]*document\.title = word;/);
});

test.each(["/secret.txt", "/page.ts", "/%2e%2e/secret.txt", "/app/nothing", "/lockstepping", "/__proto__"])(
  "there is nothing at %s",
  async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: "There is nothing here." });
  },
);

test("a page is only read", async () => {
  expect((await ask("/", { method: "POST" })).status).toBe(404);
});

test.each([
  ["a name that leads here", "http://evil.example:4400", {}],
  ["a page elsewhere", "http://127.0.0.1:4400", { origin: "http://evil.example" }],
])("%s is refused", async (_, host, headers) => {
  for (const path of ["/", "/app/people"]) {
    const answer = await ask(path, { headers }, host);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toBe("Only requests from this machine are allowed.\n");
  }
});

test("what goes wrong reaches whoever listens", async () => {
  await expect(ask("/app/fail", { method: "POST" })).rejects.toThrow("broken");
});
