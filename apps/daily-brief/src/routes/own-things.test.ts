// Settings, tasks and projects of the person who is signed in, and of nobody else.
import { StreamReader, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BriefSite, startBriefSite } from "../test-support/brief-site.ts";
import { Visitor } from "../test-support/visitor.ts";

const db = testDatabase();
const patient = { timeout: 25_000 };
const settings = {
  ...{ name: "Mary Somerville", timeZone: "Europe/London", briefAt: "07:00" },
  ...{ wantsPage: true, wantsEmail: true, wantsSms: false },
};
let site: BriefSite;

beforeAll(async () => {
  site = await startBriefSite(db.url, { DAILY_BRIEF_SIGN_IN: "mail" });
});
afterAll(() => site.stop());

interface ShownPerson {
  readonly id: string;
  readonly projects: readonly { id: string; name: string; tasks: readonly { id: string; title: string }[] }[];
  readonly finished: readonly { id: string; title: string }[];
  readonly briefs: readonly { headline: string; summary: string; focus: readonly string[] }[];
}

const scheduleOf = async (personId: string) =>
  (await site.engine.schedules({})).find(({ name }) => name === `brief:${personId}`);
const timeIn = (timeZone: string, instant: Date | undefined) =>
  instant?.toLocaleTimeString("en-GB", { timeZone, timeStyle: "short" });

test("a new zone or hour moves the next brief, wrong ones change nothing, and who unsubscribes gets none", async () => {
  const mary = new Visitor(site);
  const id = await mary.join("mary@example.com");
  const save = async (change: object) =>
    (await mary.ask("PUT", "/settings", { ...settings, ...change })).status;
  expect(timeIn("Europe/London", (await scheduleOf(id))?.nextRuns[0])).toBe("07:00");
  expect(await save({ name: "Mary Fairfax", timeZone: "Asia/Kathmandu", briefAt: "18:45" })).toBe(204);
  const moved = await scheduleOf(id);
  expect(timeIn("Asia/Kathmandu", moved?.nextRuns[0])).toBe("18:45");
  expect(moved?.nextRuns[0]?.getTime()).toBeLessThan(Date.now() + 86_400_000);

  const before = await mary.json("/person");
  for (const wrong of [
    { timeZone: "Mars/Base" },
    { timeZone: "+05:45" },
    { briefAt: "24:00" },
    { name: "" },
    { wantsSms: true },
    { id: "ada" },
  ])
    expect([wrong, await save(wrong)]).toEqual([wrong, 422]);
  expect(await mary.json("/person")).toEqual(before);
  expect(await scheduleOf(id)).toEqual(moved);

  expect(await save({ wantsPage: false, wantsEmail: false })).toBe(204);
  expect(await scheduleOf(id)).toBeUndefined();
  expect(await save({ wantsEmail: true, wantsPage: false })).toBe(204);
  expect(await scheduleOf(id)).toMatchObject({ timeZone: "Europe/London" });
});

test("every zone on the list is one that schedules take", async () => {
  const zones = await new Visitor(site).json<string[]>("/time-zones");
  expect(zones).toEqual(expect.arrayContaining(["UTC", "Europe/Kyiv", "Asia/Kolkata", "America/New_York"]));
  const known = await db.query(
    "select from pg_timezone_names where name = any ($1) and name !~ '^(posix|SystemV|Etc)'",
    [zones],
  );
  expect(known).toHaveLength(zones.length);
});

test("tasks are added, edited, moved, finished, opened again and deleted, and the brief has those that are open", async () => {
  const emmy = new Visitor(site);
  await emmy.join("emmy@example.com", { name: "Emmy Noether" });
  const shown = () => emmy.json<ShownPerson>("/person");
  const idOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { id: string }).id;
  const rings = await idOf(emmy.ask("POST", "/projects", { name: "Rings", summary: "Ideals and chains." }));
  const mine = (await shown()).projects.find(({ name }) => name === "My tasks")?.id;
  const task = (title: string, dueOn: string | null = null) =>
    idOf(emmy.ask("POST", "/tasks", { projectId: mine, title, dueOn }));
  const [late, next, done, gone] = [
    await task("Write\u0000to Hilbert", "2020-01-01"),
    await task("Walk"),
    await task("Read"),
    await task("Nothing"),
  ];
  await emmy.ask("PUT", `/tasks/${next}`, { projectId: rings, title: "Prove it", dueOn: "2199-12-31" });
  for (const isDone of [true, false]) await emmy.ask("PUT", `/tasks/${late}/done`, { isDone });
  await emmy.ask("PUT", `/tasks/${done}/done`, { isDone: true });
  expect((await emmy.ask("DELETE", `/tasks/${gone}`)).status).toBe(204);
  expect(await shown()).toMatchObject({
    projects: [
      { name: "My tasks", tasks: [{ id: late, title: "Write to Hilbert", dueOn: "2020-01-01" }] },
      { name: "Rings", summary: "Ideals and chains.", tasks: [{ id: next, title: "Prove it" }] },
    ],
    finished: [{ id: done, title: "Read" }],
  });

  const { id } = (await (await emmy.ask("POST", "/jobs", { type: "generate_daily_brief" })).json()) as {
    id: string;
  };
  await site.engine.result(id as never);
  expect((await shown()).briefs).toMatchObject([
    {
      headline: expect.stringMatching(/^Good \w+, Emmy Noether: 0 tasks due today$/),
      summary: "2 open tasks in 2 projects, 1 of them late.",
      focus: ["Write to Hilbert (My tasks, due 1 January 2020)", "Prove it (Rings, due 31 December 2199)"],
    },
  ]);

  await emmy.ask("PUT", `/projects/${rings}`, { name: "Algebra", summary: "" });
  expect((await shown()).projects[0]).toMatchObject({ name: "Algebra", summary: "" });
  expect((await emmy.ask("DELETE", `/projects/${rings}`)).status).toBe(204);
  expect((await shown()).projects.map(({ name }) => name)).toEqual(["My tasks"]);
  for (const wrong of [
    { title: " " },
    { dueOn: "2026-02-30" },
    { dueOn: "0000-01-01" },
    { title: "x".repeat(201) },
  ])
    expect(
      (await emmy.ask("POST", "/tasks", { projectId: mine, title: "Rest", dueOn: null, ...wrong })).status,
    ).toBe(422);
});

test("nobody reads or changes what is somebody else's by its id, and pages of other places change nothing", async () => {
  const [sofia, eve] = [new Visitor(site), new Visitor(site)];
  const id = await sofia.join("sofia@example.com");
  await eve.join("eve@example.com");
  const before = await sofia.json<ShownPerson>("/person");
  const projectId = before.projects[0]?.id ?? "";
  const added = await sofia.ask("POST", "/tasks", { projectId, title: "Tops", dueOn: null });
  const { id: taskId } = (await added.json()) as { id: string };
  const own = (await eve.json<ShownPerson>("/person")).projects[0]?.id ?? "";
  const mine = await eve.ask("POST", "/tasks", { projectId: own, title: "Mine", dueOn: null });
  const { id: mineId } = (await mine.json()) as { id: string };

  const title = { title: "Taken", dueOn: null };
  const moves: readonly [string, string, object?][] = [
    ["PUT", `/tasks/${taskId}`, { ...title, projectId: own }],
    ["PUT", `/tasks/${mineId}`, { ...title, projectId }],
    ["PUT", `/tasks/${taskId}/done`, { isDone: true }],
    ["DELETE", `/tasks/${taskId}`],
    ["POST", "/tasks", { ...title, projectId }],
    ["PUT", `/projects/${projectId}`, { name: "Taken", summary: "" }],
    ["DELETE", `/projects/${projectId}`],
    ["POST", "/jobs", { type: "generate_phases", projectId }],
    ["PUT", `/settings?person=${id}`, settings],
    ["POST", `/phone?person=${id}`, { phone: "+15550199" }],
    ["POST", `/phone/confirm?person=${id}`, { code: "000000" }],
    ["DELETE", `/phone?person=${id}`],
    ["DELETE", `/person?person=${id}`],
    ["GET", `/person?person=${id}`],
    ["GET", `/notifications?person=${id}`],
    ["POST", `/token?person=${id}`],
  ];
  const then = await sofia.json<ShownPerson>("/person");
  for (const [method, path, body] of moves) {
    expect([method, path, (await eve.ask(method, path, body)).status]).toEqual([method, path, 404]);
    expect([method, path, (await new Visitor(site).ask(method, path, body)).status]).toEqual([
      method,
      path,
      401,
    ]);
    // With her own cookie, which a browser would send with it.
    const elsewhere = { origin: "http://127.0.0.1:1" };
    expect((await sofia.ask(method, path, body, elsewhere)).status).toBe(403);
  }
  expect(await sofia.json("/person")).toEqual(then);
  expect(then.projects[0]?.tasks).toMatchObject([{ title: "Tops" }]);

  // The engine's own stream, with Eve's token: nothing of Sofia's comes through.
  const { token } = (await (await eve.ask("POST", "/token")).json()) as { token: string };
  const api = (path: string) =>
    fetch(`${site.listening.url}/lockstep/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  const asked = await sofia.ask("POST", "/jobs", { type: "generate_daily_brief" });
  const { id: jobId } = (await asked.json()) as { id: string };
  await site.engine.result(jobId as never);
  expect((await api(`/jobs/${jobId}`)).status).toBe(404);
  const stream = new StreamReader(await api("/events?after=start"));
  const eves = await eve.ask("POST", "/jobs", { type: "generate_daily_brief" });
  const { id: evesId } = (await eves.json()) as { id: string };
  for (let told = 0; told < 2; ) {
    const message = await stream.next();
    if (message === null) throw new Error("The stream has ended.");
    const { jobId: of } = (message.data ?? {}) as { jobId?: string };
    if (of === undefined) continue;
    expect(of).not.toBe(jobId);
    if (of === evesId) told += 1;
  }
  await stream.close();
});

test("who deletes their account takes everything with them, and their stream and session end", async () => {
  const ida = new Visitor(site);
  const id = await ida.join("ida@example.com");
  const [project] = (await ida.json<ShownPerson>("/person")).projects;
  await ida.ask("POST", "/tasks", { projectId: project?.id, title: "Leave", dueOn: null });
  const asked = await ida.ask("POST", "/jobs", { type: "generate_daily_brief" });
  await site.engine.result(((await asked.json()) as { id: string }).id as never);
  await expect
    .poll(async () => (await site.app.outbox.messagesOf(id)).map(({ state }) => state), patient)
    .toEqual(["sent"]);
  const later = { owner: id, scheduledFor: new Date(Date.now() + 3_600_000) };
  const waiting = await site.engine.add(
    site.app.pipelines.sendSms,
    { personId: id, message: "Good morning" },
    later,
  );
  const stream = new StreamReader(
    await fetch(`${site.listening.url}/app/notifications`, { headers: { cookie: ida.cookie } }),
  );
  await stream.next();
  const token = ida.cookie;

  expect((await ida.ask("DELETE", "/person")).status).toBe(204);
  expect((await ida.ask("GET", "/person", undefined, { cookie: token })).status).toBe(401);
  expect(await site.engine.get(waiting.id)).toMatchObject({ status: "cancelled" });
  expect(await scheduleOf(id)).toBeUndefined();
  const tables = await db.query<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'daily_brief' and column_name = 'person_id'",
  );
  expect(tables.length).toBeGreaterThan(7);
  for (const { name } of tables)
    expect([name, await db.query(`select from daily_brief."${name}" where person_id = $1`, [id])]).toEqual([
      name,
      [],
    ]);
  expect(await db.query("select from daily_brief.people where id = $1", [id])).toEqual([]);
  // Told nothing more, and ended.
  for (let message = await stream.next(); message !== null; ) message = await stream.next();
});
