import type { TestDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { freePort } from "../../packages/local-postgres/src/free-port.ts";
import type { FrameworkFolder } from "./framework-folder.ts";
import { postJson, untilAnswer } from "./requests.ts";

// Refuses an order when its transaction commits, which is after its job was added.
const refusal = `
  create function refuse_order() returns trigger language plpgsql as $$
  begin
    if new.item = 'refused at commit' then raise exception 'this order is refused'; end if;
    return null;
  end $$;
  create constraint trigger refuse_order after insert on orders
    deferrable initially deferred for each row execute function refuse_order()`;

export function expressPrismaProjectWorks(folder: FrameworkFolder, db: TestDatabase): void {
  test("Express with Prisma: an order and its job are there together or not at all, and it stops cleanly", async (context) => {
    const project = await folder.example(context, "express-prisma");
    // Only migrations need the program that Prisma would download: here another one is named, which is not run.
    await project.tool("prisma", ["generate"], { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath });
    await project.tool("tsc");
    await db.query(project.read("prisma/migrations/0001_orders/migration.sql"));
    await db.query(refusal);
    const port = await freePort();
    const orders = `http://127.0.0.1:${port}/orders`;
    const script = project.start("start", { DATABASE_URL: db.url, PORT: String(port) });
    await script.until("listening");
    expect(await postJson(orders, { number: 1, item: "a lamp" })).toMatchObject({ status: 202 });
    await untilAnswer(`${orders}/1`, { number: 1, item: "a lamp", status: "sent" });
    expect(await postJson(orders, { number: 1, item: "another" })).toMatchObject({ status: 409 });
    expect(await postJson(orders, { number: 2 })).toMatchObject({ status: 400 });
    await expect(postJson(orders, { number: 3, item: "refused at commit" })).rejects.toThrow();
    expect((await fetch(`${orders}/nonsense`)).status).toBe(404);
    expect((await fetch(`${orders}/3`)).status).toBe(404);
    expect(await script.stop(), script.output).toBe(0);
    expect(await db.call("active_workers")).toEqual([]);
    // The other orders were refused, and their jobs with them.
    const jobs = await db.query(
      "select status from lockstep.jobs union all select status from lockstep.finished_jobs",
    );
    expect(jobs).toEqual([{ status: "completed" }]);
  }, 240_000);
}
