import { JobFactory, testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { beforeEach, expect, test } from "vitest";
import { describeInBrowser, seen, storyBrowser } from "./browser.ts";
import { consoleSite, workingSite } from "./console-site.ts";

/** An error with so many causes below each other. */
function causedBy(depth: number): Error {
  return new Error(`${depth} deep`, depth === 0 ? {} : { cause: causedBy(depth - 1) });
}

describeInBrowser("the errors", () => {
  const db = testDatabase();
  const jobs = new JobFactory(db);
  const browser = storyBrowser();
  beforeEach(() => db.reset());

  test("are shown with what caused them, each cause with frames of its own that open by themselves", async () => {
    const fetching = definePipeline<{ depth?: number }>("fetching").stage(
      "fetch",
      { maxAttempts: 1 },
      ({ payload }) => {
        if (payload.depth !== undefined) throw causedBy(payload.depth);
        const stackOf = (name: string, file: string) =>
          [`${name}: m`, ...[1, 2, 3, 4, 5].map((line) => `    at run (/app/${file}.ts:${line}:1)`)].join(
            "\n",
          );
        const errors = ["::1", "127.0.0.1", "10.0.0.1", "10.0.0.2"].map((host) =>
          Object.assign(new Error(`connect ${host}`), { stack: "" }),
        );
        const refused = Object.assign(new AggregateError(errors, "all refused"), {
          stack: "",
          code: "ECONNREFUSED",
        });
        const failed = new TypeError("fetch failed", { cause: refused });
        const cause = Object.assign(failed, { stack: stackOf("TypeError", "inner") });
        throw Object.assign(new Error("no answer", { cause }), { stack: stackOf("Error", "outer") });
      },
    );
    const { url, engine } = await workingSite(db, { engine: { pipelines: [fetching] } });
    const { id } = await engine.add(fetching, {});
    await engine.result(id).catch(() => {});

    const page = await browser.open(`${url}/jobs/${id}`);
    const causes = page.getByRole("region", { name: "Caused by" });
    await seen(causes).toHaveCount(2);
    await seen(causes.first()).toContainText("TypeError: fetch failed");
    await seen(causes.nth(1)).toContainText("AggregateError [ECONNREFUSED]: all refused");
    await seen(causes.nth(1).getByRole("region", { name: "One of its errors" })).toHaveText([
      /Error: connect ::1$/,
      /Error: connect 127\.0\.0\.1$/,
      /Error: connect 10\.0\.0\.1$/,
    ]);
    await seen(causes.nth(1)).toContainText("1 more of its errors was not kept.");
    const outer = page.getByText(/^at run .*outer\.ts/);
    const inner = causes.first().getByText(/^at run .*inner\.ts/);
    await seen(outer).toHaveCount(3);
    await seen(inner).toHaveCount(3);
    await causes.first().getByRole("button", { name: "2 more frames" }).click();
    await seen(inner).toHaveCount(5);
    await seen(outer).toHaveCount(3);

    await page.goto(`${url}/errors`);
    await page.getByRole("link", { name: /no answer/ }).click();
    await seen(page.getByRole("region", { name: "Caused by" })).toHaveCount(2);

    const deep = await engine.add(fetching, { depth: 6 });
    await engine.result(deep.id).catch(() => {});
    await page.goto(`${url}/jobs/${deep.id}`);
    await seen(page.getByRole("region", { name: "Caused by" })).toHaveCount(5);
    await seen(page.getByText("Its own cause was not kept.")).toBeVisible();
  });

  test("are sorted by their jobs, and more than are looked at are told as at least so many, beside and in the chart", async () => {
    await jobs.aPipeline("orders", ["read"]);
    await jobs.aPipeline("letters", ["send"]);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    // Jobs that were not started in time have failed.
    await db.query(
      `select lockstep.add_jobs(jsonb_agg(jsonb_build_object('pipeline', 'orders', 'payload', n, 'startBy', $1::timestamptz + interval '1 second')), p_now => $1)
       from generate_series(1, 10020) n`,
      [anHourAgo],
    );
    const sweep = async () =>
      (await db.call<{ expired_jobs: number }>("sweep_lost_workers"))[0]?.expired_jobs;
    while ((await sweep()) !== 0);
    const worker = await jobs.aWorker({ leaseSeconds: 86_400, at: new Date() });
    const now = new Date();
    for (let count = 0; count < 2; count++)
      await jobs.aFailedJob({ by: worker, pipeline: "letters", stage: "letters/send", at: now });

    const { url } = await consoleSite(db);
    const page = await browser.open(`${url}/errors`);
    const rows = page.getByRole("row");
    await seen(rows.nth(1)).toContainText("letters");
    const expired = page.getByRole("row", { name: /ExpiredError/ });
    await seen(expired).toContainText("9,998+");
    await seen(expired.getByRole("img", { name: "at least 9,998 jobs in the last 24 hours" })).toBeVisible();
    await seen(
      page.getByText("A plus means that only the newest 10,000 failures were counted"),
    ).toBeVisible();
    await page.getByRole("button", { name: "Jobs", exact: true }).click();
    await seen(page).toHaveURL(`${url}/errors?sort=-jobs`);
    await seen(rows.nth(1)).toContainText("ExpiredError");

    // Of its pipeline alone as many as ten thousand are looked at, for the number and the chart alike.
    await page.getByRole("link", { name: /ExpiredError/ }).click();
    await seen(page.locator("dl > div").filter({ hasText: "Jobs" }).first()).toHaveText("Jobs10,000+");
    await seen(
      page.getByRole("img", { name: /^Jobs still failed with this error, .*: at least 10,000\.$/ }),
    ).toBeVisible();
    expect(await page.getByRole("alert").count()).toBe(0);
  }, 120_000);
});
