import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const day = 86_400;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", { name: "paid", kind: "wait" }, "send"]);
});

test("signals and keys go when their job is gone, and stay while it is there", async () => {
  const [live, gone] = await Promise.all(
    ["live", "gone"].map(async (key) => {
      const [added] = await db.call<{ id: string }>("add_job", {
        p_pipeline: "orders",
        p_signal_key: key,
        p_now: noon,
      });
      await db.value("signal_job", { p_id: added?.id, p_name: "paid", p_now: noon });
      return added?.id;
    }),
  );
  await db.query("delete from lockstep.jobs where id = $1", [gone]);
  const at = (days: number) => secondsAfter(noon, days * day);
  const checked = (days: number) => db.value<number>("delete_signals", { p_keep: "7 days", p_now: at(days) });
  expect(await checked(7)).toBe(0);
  expect(await checked(9)).toBe(2);
  expect(await db.query("select job_id from lockstep.signals")).toEqual([{ job_id: live }]);
  expect(await db.query("select key from lockstep.signal_keys")).toEqual([{ key: "live" }]);
  // looked at again only when it may be gone
  expect(await checked(10)).toBe(0);
});
