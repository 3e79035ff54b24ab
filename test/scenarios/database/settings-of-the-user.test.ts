import { testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";

const db = testDatabase();
const { errand } = storyPipelines();

test.each([
  ["statement_timeout", "100ms"],
  ["idle_in_transaction_session_timeout", "1ms"],
  ["search_path", "nowhere"],
  ["default_transaction_isolation", "serializable"],
])("jobs run for a user whose %s is %s", async (setting, value) => {
  const { username, pathname } = new URL(db.url);
  // In this database alone: the user is that of all tests.
  const inDatabase = `alter role ${decodeURIComponent(username)} in database ${pathname.slice(1)}`;
  await db.query(`${inDatabase} set ${setting} = '${value}'`);
  onTestFinished(async () => void (await db.query(`${inDatabase} reset all`)));
  const { rows } = await (await db.connect()).query(`show ${setting}`);
  expect(rows).toEqual([{ [setting]: value }]);
  const engine = storyEngine(db);
  await engine.start();
  const { id } = await engine.add(errand, { do: "answer" });
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
});
