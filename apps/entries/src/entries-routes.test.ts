import { testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { databaseClients } from "./database/database-client.ts";
import { migrateEntries } from "./database/migrate-entries.ts";
import { EntriesProcess } from "./entries-process.ts";
import { entriesRoutes } from "./entries-routes.ts";
import type { Entry, EntryPage } from "./entry.ts";

const database = testDatabase();
let entries: EntriesProcess;
let routes: ReturnType<typeof entriesRoutes>;

describe.each(databaseClients)("with %s", (databaseClient) => {
  beforeAll(async () => {
    // Twice at once, as when two servers start.
    await Promise.all([migrateEntries(database.url), migrateEntries(database.url)]);
    entries = new EntriesProcess({
      databaseUrl: database.url,
      databaseClient,
      tokenSecret: null,
      worksInServer: false,
      stageWorkMs: 0,
      connections: 3,
      hosts: [],
    });
    routes = entriesRoutes(entries);
  });
  afterAll(() => entries.stop());
  beforeEach(() => database.query("truncate entries"));

  function post(body: unknown, contentType = "application/json") {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return routes.create(
      new Request("http://localhost/api/entries", {
        method: "POST",
        headers: { "content-type": contentType },
        body: text,
      }),
    );
  }
  async function bodyOf<Body>(response: Response | Promise<Response>): Promise<Body> {
    return (await (await response).json()) as Body;
  }
  const fieldsOf = async (response: Response) => (await bodyOf<{ fields: unknown }>(response)).fields;
  const get = (query = "") => routes.list(new Request(`http://localhost/api/entries${query}`));

  describe("POST /api/entries", () => {
    test("answers 201 with the entry, whose job is there", async () => {
      const response = await post({ title: "  My task " });
      expect(response.status).toBe(201);
      const entry = await bodyOf<Entry>(response);
      expect(entry).toMatchObject({ title: "My task", status: "CREATED", progress: 0, result: null });
      const [job] = await entries.engine.list();
      expect(await database.query("select id from entries where job_id = $1", [job?.id])).toEqual([
        { id: entry.id },
      ]);
    });

    test("leaves no job behind when the entry cannot be inserted", async () => {
      const before = await entries.engine.list();
      await database.query("alter table entries add constraint nothing_goes check (title = '') not valid");
      const response = await post({ title: "My task" });
      await database.query("alter table entries drop constraint nothing_goes");
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual({
        error: "The entries cannot be reached. Please try again.",
        fields: {},
      });
      expect(await entries.engine.list()).toEqual(before);
    });

    test.each([
      ["no title", {}, "Give the entry a title."],
      ["an empty title", { title: "" }, "Give the entry a title."],
      ["only spaces", { title: " \t " }, "Give the entry a title."],
      ["a number", { title: 7 }, "Give the entry a title."],
      ["201 characters", { title: "x".repeat(201) }, "A title has at most 200 characters."],
      ["10,000 characters", { title: "x".repeat(10_000) }, "A title has at most 200 characters."],
      ["a zero byte", { title: "a\0b" }, "A title is one line of text, without control characters."],
      ["two lines", { title: "a\nb" }, "A title is one line of text, without control characters."],
      ["half an emoji", { title: "\ud83d" }, "A title is one line of text, without control characters."],
    ])("refuses %s with a message for the field", async (_, body, message) => {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: message, fields: { title: message } });
      expect((await bodyOf<EntryPage>(get())).total).toBe(0);
    });

    test.each([
      ["what is not JSON", "{", "application/json", "The body is not JSON."],
      [
        "a form",
        "title=x",
        "application/x-www-form-urlencoded",
        "Send JSON, with content-type: application/json.",
      ],
      ["a large body", `"${"x".repeat(70_000)}"`, "application/json", "The body is larger than 65536 bytes."],
      ["a list", "[]", "application/json", "Invalid input: expected object, received array"],
      [
        "an unknown field",
        '{"title":"a","status":"COMPLETED"}',
        "application/json",
        'Unrecognized key: "status"',
      ],
    ])("refuses %s", async (_, body, contentType, message) => {
      const response = await post(body, contentType);
      expect(response.status).toBe(400);
      expect(await fieldsOf(response)).toEqual({ body: message });
    });

    test.each([
      ["200 emoji", "👩‍👩‍👧‍👦".repeat(200)],
      ["HTML", "<img src=x onerror=alert(1)>"],
      ["text from right to left", "שלום עולם"],
      ["SQL", "'; drop table entries; --"],
    ])("keeps %s as it is", async (_, title) => {
      expect((await post({ title })).status).toBe(201);
      expect((await bodyOf<EntryPage>(get())).entries).toMatchObject([{ title }]);
    });
  });

  describe("GET /api/entries", () => {
    test("gives the newest first, with the total beside the page", async () => {
      for (const title of ["first", "second", "third"]) await post({ title });
      const page = await bodyOf<EntryPage>(get("?limit=2&offset=1"));
      expect(page).toMatchObject({ total: 3, limit: 2, offset: 1 });
      expect(page.entries.map(({ title }) => title)).toEqual(["second", "first"]);
      expect(Object.keys(page.entries[0] ?? {})).toEqual([
        "id",
        "title",
        "status",
        "progress",
        "result",
        "createdAt",
        "updatedAt",
      ]);
    });

    test("gives 50 from the first on, unless told otherwise", async () => {
      expect(await (await get()).json()).toEqual({ entries: [], total: 0, limit: 50, offset: 0 });
    });

    test.each([
      ["?limit=0", { limit: "limit must be from 1 to 200." }],
      ["?limit=ten", { limit: "limit must be a whole number." }],
      ["?offset=-1", { offset: "offset must be a whole number." }],
    ])("refuses %s", async (query, fields) => {
      const response = await get(query);
      expect(response.status).toBe(400);
      expect(await fieldsOf(response)).toEqual(fields);
    });
  });

  describe("a search", () => {
    test("finds titles that contain it, whatever their case, and takes no character for a pattern", async () => {
      for (const title of ["Pay 100% now", "Pay 1000 later", "a_b", "aXb", "Größe"]) await post({ title });
      const found = async (search: string) => {
        const page = await bodyOf<EntryPage>(get(`?search=${encodeURIComponent(search)}`));
        expect(page.total).toBe(page.entries.length);
        return page.entries.map(({ title }) => title);
      };
      expect(await found("PAY")).toEqual(["Pay 1000 later", "Pay 100% now"]);
      expect(await found("100%")).toEqual(["Pay 100% now"]);
      expect(await found("a_b")).toEqual(["a_b"]);
      expect(await found("größe")).toEqual(["Größe"]);
      expect(await found("\\")).toEqual([]);
      expect(await found("  ")).toHaveLength(5);
    });

    test("that cannot be one is refused", async () => {
      expect((await get(`?search=${"x".repeat(4_001)}`)).status).toBe(400);
      expect((await get("?search=%00")).status).toBe(400);
    });
  });

  describe("DELETE /api/entries/{id}", () => {
    test("removes an entry that is finished, and no other", async () => {
      const { id } = await bodyOf<Entry>(post({ title: "My task" }));
      const early = await routes.remove(id);
      expect([early.status, await bodyOf(early)]).toEqual([
        409,
        { error: "An entry can be deleted when it has completed or failed.", fields: {} },
      ]);
      await database.query("update entries set status = 'FAILED'");
      expect((await routes.remove(id)).status).toBe(204);
      expect(await database.query("select 1 from entries")).toEqual([]);
      expect((await routes.remove(id)).status).toBe(404);
      expect((await routes.remove("' or true --")).status).toBe(404);
    });
  });

  describe("POST /api/entries/{id}/retry", () => {
    test("is refused for an entry that is unknown, has not failed, or whose job is gone", async () => {
      const { id } = await bodyOf<Entry>(post({ title: "My task" }));
      expect((await routes.retry(id)).status).toBe(409);
      await database.query("update entries set status = 'FAILED', job_id = gen_random_uuid()");
      const gone = await routes.retry(id);
      expect([gone.status, await bodyOf<{ error: string }>(gone)]).toMatchObject([
        409,
        { error: expect.stringContaining("no longer kept") },
      ]);
      expect((await routes.retry("00000000-0000-4000-8000-000000000000")).status).toBe(404);
      expect((await routes.retry("nonsense")).status).toBe(404);
    });
  });
});
