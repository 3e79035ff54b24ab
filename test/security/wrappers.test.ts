import { readFileSync } from "node:fs";
import { testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";

const db = testDatabase();
const role = "a_browser_of_the_wrappers";

beforeAll(async () => {
  const page = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  const [, wrappers = ""] = /^```sql\n(.*?)^```$/ms.exec(page) ?? [];
  await db.call("define_pipeline", { p_name: "reports", p_stages: [{ name: "write" }] });
  await db.query(`drop role if exists ${role}`);
  await db.query(`create role ${role}`);
  await db.query(wrappers.replaceAll("to authenticated", `to ${role}`));
});
afterAll(async () => {
  await db.query("drop schema app cascade");
  await db.query(`drop role ${role}`);
});

/** As a gateway calls on behalf of somebody; null for one who has not logged in. */
async function as<Row extends Record<string, unknown>>(user: string | null, text: string): Promise<Row[]> {
  const client = await db.connect();
  await client.query("begin");
  try {
    await client.query(`set local role ${role}`);
    const claims = user === null ? "" : JSON.stringify({ sub: user });
    await client.query("select set_config('request.jwt.claims', $1, true)", [claims]);
    const { rows } = await client.query(text);
    await client.query("commit");
    return rows;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

test("a browser adds and sees its own jobs, and nothing else is open to it", async () => {
  await as("ada", `select app.add_report('{"page": 1}')`);
  await as("bob", `select app.add_report('{"page": 2}')`);
  await db.call("add_job", { p_pipeline: "reports" });
  const [mine, ...others] = await as<{ id: string }>("ada", "select * from app.my_jobs()");
  expect([mine, others]).toMatchObject([{ pipeline: "reports", status: "pending" }, []]);
  expect(await db.query("select owner from lockstep.jobs where id = $1", [mine?.id])).toEqual([
    { owner: "ada" },
  ]);
  expect(await as(null, "select * from app.my_jobs()")).toEqual([]);
  for (const [user, text] of [
    [null, "select app.add_report('{}')"],
    ["ada", "select * from lockstep.list_jobs()"],
    ["ada", "select * from lockstep.add_job('reports', '{}', p_owner => 'bob')"],
    ["ada", "select * from lockstep.jobs"],
    ["ada", "select app.user_id()"],
  ] as const) {
    await expect(as(user, text), text).rejects.toMatchObject({ code: "42501" });
  }
});
