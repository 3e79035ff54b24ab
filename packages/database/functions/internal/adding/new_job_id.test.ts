import { noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";

const db = testDatabase();

test("a job's id is a UUID of version 7 that carries its instant", async () => {
  const id = await db.value<string>("new_job_id", { p_now: noon });
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(noon.getTime());
});

test("ids are ordered by time", async () => {
  const ids: string[] = [];
  for (const seconds of [0, 0.001, 1, 60, 86_400, 1e9]) {
    ids.push(await db.value<string>("new_job_id", { p_now: secondsAfter(noon, seconds) }));
  }
  expect(ids.toSorted()).toEqual(ids);
});

test("ten thousand ids of one instant differ", async () => {
  const [row] = await db.query(
    "select count(distinct lockstep.new_job_id($1))::integer as ids from generate_series(1, 10000)",
    [noon],
  );
  expect(row?.ids).toBe(10_000);
});
