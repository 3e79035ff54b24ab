import { testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { DailyBriefApp } from "../daily-brief-app.ts";
import { readDailyBriefConfig } from "../daily-brief-config.ts";
import { ada, grace, kateryna } from "../test-support/example-people.ts";
import { keepSchedules } from "./keep-schedules.ts";

const db = testDatabase();

test("who comes gets a schedule, who moves another, who goes loses theirs, and the others' are left alone", async () => {
  const app = new DailyBriefApp(readDailyBriefConfig({}), async () => db.url, { withExamples: true });
  const engine = createEngine({ databaseUrl: db.url, pipelines: Object.values(app.pipelines), logger: null });
  onTestFinished(async () => {
    await engine.stop();
    await app.close();
  });
  await app.database.prepare();
  const { dailyBriefDue } = app.pipelines;
  const keep = async () => keepSchedules(engine, dailyBriefDue, await app.people.people());
  const kept = async () =>
    Object.fromEntries(
      (await engine.schedules({})).map(({ name, cron, timeZone }) => [name, `${cron} ${timeZone}`]),
    );
  await keep();
  const before = await kept();
  expect(Object.keys(before)).toEqual([ada, kateryna, grace].map((id) => `brief:${id}`));

  const rowOfAda = () =>
    db.query("select xmin::text from lockstep.schedules where name = $1", [`brief:${ada}`]);
  const written = await rowOfAda();
  await db.query(
    "update daily_brief.people set brief_at = '05:45', time_zone = 'Asia/Kathmandu' where id = $1",
    [grace],
  );
  await db.query("delete from daily_brief.people where id = $1", [kateryna]);
  await keep();
  expect(await kept()).toEqual({
    [`brief:${ada}`]: before[`brief:${ada}`],
    [`brief:${grace}`]: "45 5 * * * Asia/Kathmandu",
  });
  expect(await rowOfAda()).toEqual(written);
});
