// The notifications of the document, as the page gets them.
import { listen } from "@lockstep/server";
import { type StreamMessage, StreamReader, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { briefServer } from "./brief-server.ts";
import { type BriefSite, startBriefSite } from "./test-support/brief-site.ts";
import { ada, grace, kateryna } from "./test-support/example-people.ts";

const db = testDatabase();
let site: BriefSite;

beforeAll(async () => {
  site = await startBriefSite(db.url);
});
afterAll(() => site.stop());

const ids = (messages: readonly StreamMessage[]) => messages.map(({ id }) => Number(id));

/** The next notifications of a person, from their stream. */
async function toldTo(personId: string, count: number, lastId?: string | null): Promise<StreamMessage[]> {
  const headers: Record<string, string> = lastId == null ? {} : { "last-event-id": lastId };
  const stream = new StreamReader(
    await fetch(`${site.listening.url}/app/notifications?person=${personId}`, { headers }),
  );
  const told: StreamMessage[] = [];
  while (told.length < count) {
    const message = await stream.next();
    if (message === null) throw new Error("The stream has ended.");
    if (message.id !== null) told.push(message);
  }
  await stream.close();
  return told;
}

async function split(projectId: string, owner: string): Promise<void> {
  const { app, engine } = site;
  const { id } = await engine.add(app.pipelines.generatePhases, { projectId }, { owner });
  await engine.result(id);
}

test("the document's four events come under their names, with its payloads and rising ids, to their person only", async () => {
  const { app, engine, mail } = site;
  const date = { briefDate: "2026-03-02", timezone: "Europe/London" };
  const brief = await engine.add(
    app.pipelines.generateDailyBrief,
    { personId: ada, ...date },
    { owner: ada },
  );
  const { briefId } = await engine.result(brief.id);
  await split("compiler", grace);
  await mail.received(1);
  await split("engine", ada);
  const failing = await engine.add(
    app.pipelines.generateDailyBrief,
    { personId: "nobody", ...date },
    { owner: ada },
  );

  const told = await toldTo(ada, 4);
  const payloads = Object.fromEntries(
    told.map(({ event, data }) => [event, (data as { payload: unknown }).payload]),
  );
  expect(payloads).toEqual({
    brief_completed: { briefId, ...date },
    brief_email_sent: {
      emailId: mail.mails[0]?.messageId,
      briefId,
      trackingId: expect.any(String),
    },
    phases_completed: { projectId: "engine", phaseCount: 2 },
    brief_failed: { error: 'There is no person "nobody".', jobId: failing.id },
  });
  expect(ids(told)).toEqual(ids(told).toSorted((one, other) => one - other));
  expect(new Set(ids(told)).size).toBe(4);

  const [graces] = await toldTo(grace, 1);
  expect(graces).toMatchObject({
    event: "phases_completed",
    data: { payload: { projectId: "compiler" }, text: 'The project "Compiler" has 2 phases now.' },
  });
});

test("what nobody has read comes again, what was read says so, and a stream goes on after its last one", async () => {
  const before = await toldTo(ada, 4);
  expect(before.map(({ data }) => data)).toMatchObject(Array(4).fill({ isRead: false, isMissed: true }));
  const read = (upTo: unknown) =>
    fetch(`${site.listening.url}/app/notifications/read?person=${ada}`, {
      method: "POST",
      body: JSON.stringify({ upTo }),
    });
  expect((await read("all")).status).toBe(422);
  expect((await read(ids(before)[2])).status).toBe(204);
  const after = await toldTo(ada, 4);
  expect(after.map(({ data }) => (data as { isRead: boolean }).isRead)).toEqual([true, true, true, false]);
  // Hers alone.
  expect((await toldTo(grace, 1))[0]).toMatchObject({ data: { isRead: false } });
  expect(ids(await toldTo(ada, 2, before[1]?.id))).toEqual(ids(before).slice(2));
});

test("what happens while the page's server is away is told when it is back, once", async () => {
  const known = ids(await toldTo(grace, 1));
  await site.listening.stop();
  await split("compiler", grace);
  site.listening = await listen(briefServer(site), { port: 0 });
  const told = await toldTo(grace, 2);
  expect(ids(told)[0]).toBe(known[0]);
  // Live, to a page that is open.
  const next = toldTo(grace, 1, told[1]?.id);
  await split("compiler", grace);
  expect(await next).toMatchObject([{ event: "phases_completed", data: { isMissed: false } }]);
  const rows = await db.query("select from daily_brief.notifications where person_id = $1", [grace]);
  expect(rows).toHaveLength(3);
});

test("who has switched the page off is not told that a brief is ready, but what failed", async () => {
  const { app, engine } = site;
  await db.query("update daily_brief.people set wants_page = false, wants_email = false where id = $1", [
    kateryna,
  ]);
  const date = { briefDate: "2026-03-02", timezone: "Asia/Kolkata" };
  const of = (personId: string) =>
    engine.add(app.pipelines.generateDailyBrief, { personId, ...date }, { owner: kateryna });
  await engine.result((await of(kateryna)).id);
  await of("nobody");
  expect(await toldTo(kateryna, 1)).toMatchObject([{ event: "brief_failed" }]);
  const rows = await db.query("select from daily_brief.notifications where person_id = $1", [kateryna]);
  expect(rows).toHaveLength(1);
});
