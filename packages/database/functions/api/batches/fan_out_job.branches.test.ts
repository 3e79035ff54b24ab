import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

const branchPipelines = ["order:enrich:logo", "order:enrich:text", "order:enrich:news"];

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("order", ["quote", "enrich", "ship"]);
  await jobs.aPipeline("short", ["enrich"]);
  for (const name of branchPipelines) {
    await db.call("define_pipeline", {
      p_name: name,
      p_stages: [{ name: "run", maxAttempts: 1 }],
      p_options: { branchOf: "order" },
    });
  }
  worker = await jobs.aWorker({
    leaseSeconds: 600,
    serves: [
      "order/quote",
      "order/enrich",
      "order/ship",
      "short/enrich",
      ...branchPipelines.map((name) => `${name}/run`),
    ],
  });
});

const branches = (policies: Record<string, string> = {}) =>
  ["logo", "text", "news"].map((branch) => ({
    pipeline: `order:enrich:${branch}`,
    branch,
    ...(policies[branch] && { onFailure: policies[branch] }),
  }));

const complete = ({ id, claim_token }: ClaimedJob, output: unknown = null) =>
  db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_output: output, p_now: noon });
const fail = ({ id, claim_token }: ClaimedJob, message: string) =>
  db.value("fail_job", { p_id: id, p_claim_token: claim_token, p_error: { message }, p_now: noon });
const retry = (id: string, more: object = {}) =>
  db.call<{ answer: string }>("retry_job", { p_id: id, p_now: secondsAfter(noon, 5), ...more });
const healthy = async () => expect(await db.call("verify", { p_now: noon })).toEqual([]);

async function claimIn(stage: string): Promise<ClaimedJob> {
  const [claimed] = await jobs.claimAs(worker, { stage });
  if (!claimed) throw new Error(`No job waits in ${stage}.`);
  return claimed;
}
const claimBranch = (branch: string) => claimIn(`order:enrich:${branch}/run`);

/** An order that is claimed in its parallel stage. */
async function anOrder(more: object = {}): Promise<ClaimedJob> {
  const order = await jobs.aClaimedJob({
    ...{ pipeline: "order", by: worker, stage: "order/quote", payload: { name: "Ada" } },
    ...more,
  });
  await complete(order, { price: 5 });
  return claimIn("order/enrich");
}

const branch = ({ id, claim_token }: ClaimedJob, children: unknown, more: object = {}) =>
  db.value<string>("fan_out_job", {
    ...{ p_id: id, p_claim_token: claim_token, p_children: children, p_returns: "branches", p_now: noon },
    ...more,
  });

async function aWaitingOrder(policies: Record<string, string> = {}, more: object = {}) {
  const order = await anOrder(more);
  expect(await branch(order, branches(policies))).toBe("applied");
  return order;
}

describe("branches", () => {
  test("are jobs with the parent's payload and the output before, and their results are its output", async () => {
    const order = await aWaitingOrder({}, { owner: "ada", priority: 3 });
    expect(await jobs.read(order.id)).toMatchObject({
      ...{ stage: "enrich", status: "scheduled", scheduled_for: null },
      attempts: [{ outcome: "done" }, { stage: "enrich", outcome: "branched", attempt: 1 }],
    });
    expect(await db.call("explain_job", { p_id: order.id, p_now: noon })).toMatchObject([
      {
        reason: "waits_for_children",
        explanation: /3 branches .* Of the branches, logo is pending, text is pending, news is pending\./,
        detail: { branches: { logo: "pending" } },
      },
    ]);
    const logo = await claimBranch("logo");
    expect(await jobs.read(logo.id)).toMatchObject({
      ...{ payload: { name: "Ada" }, outputs: { "order/quote": { price: 5 } }, owner: "ada", priority: 3 },
      ...{ parent_id: order.id, branch: "logo" },
    });
    await complete(await claimBranch("text"), "words");
    await complete(logo, { url: "x" });
    await healthy();
    await complete(await claimBranch("news"), null);
    expect(await jobs.read(order.id)).toMatchObject({
      ...{ stage: "ship", status: "pending", attempt: 0 },
      outputs: { quote: { price: 5 }, enrich: { logo: { url: "x" }, text: "words", news: null } },
    });
    expect(await claimIn("order/ship")).toMatchObject({ id: order.id, attempt: 1 });
    expect(await db.call("branches_of", { p_job_id: order.id })).toMatchObject([
      { stage: "enrich", branch: "logo", id: logo.id, pipeline: "order:enrich:logo", status: "completed" },
      { branch: "text", on_failure: "fail" },
      { branch: "news" },
    ]);
    const kinds = await db.query("select kind from lockstep.events where job_id = $1 order by id", [
      order.id,
    ]);
    expect(kinds.map(({ kind }) => kind)).toEqual([
      ...["job.added", "job.claimed", "job.advanced", "job.claimed", "job.branched", "job.advanced"],
      "job.claimed",
    ]);
    const totals = await db.call<{ stage: string }>("read_stage_totals", {});
    expect(totals.find(({ stage }) => stage === "enrich")).toMatchObject({
      ...{ entered: "1", started: "1", advanced: "1", snoozed: "0", lost: "0" },
    });
    await healthy();
  });

  test("in the last stage complete the job, also when that ends a batch that is waited for in turn", async () => {
    await jobs.aPipeline("outer", ["begin", "end"]);
    worker = await jobs.aWorker({
      serves: ["outer/begin", "outer/end", "short/enrich", "order:enrich:logo/run"],
    });
    const outer = await jobs.aClaimedJob({ pipeline: "outer", by: worker, stage: "outer/begin" });
    await branch(outer, [{ pipeline: "short", branch: "short", payload: {} }]);
    const short = await claimIn("short/enrich");
    await branch(short, [{ pipeline: "order:enrich:logo", branch: "logo" }]);
    await complete(await claimBranch("logo"), 7);
    expect(await jobs.read(short.id)).toMatchObject({ status: "completed", result: { logo: 7 } });
    expect(await jobs.read(outer.id)).toMatchObject({
      stage: "end",
      outputs: { begin: { short: { logo: 7 } } },
    });
    await healthy();
  });

  test("have a policy each: fail ends the parent and the others", async () => {
    const order = await aWaitingOrder({ news: "ignore" });
    const [logo, news] = [await claimBranch("logo"), await claimBranch("news")];
    await fail(news, "no news");
    expect(await jobs.read(order.id)).toMatchObject({ status: "scheduled" });
    await fail(logo, "no logo");
    expect(await jobs.read(order.id)).toMatchObject({
      ...{ status: "failed", stage: "enrich" },
      error: {
        code: "child_failed",
        message: /Branch "logo" \(job .*\) ended as failed in stage order:enrich:logo\/run: no logo/,
      },
    });
    expect((await db.call("branches_of", { p_job_id: order.id })).map(({ status }) => status)).toEqual([
      "failed",
      "cancelled",
      "failed",
    ]);
    await healthy();
  });

  test("have a policy each: continue shows how one ended, ignore leaves it out", async () => {
    const order = await aWaitingOrder({ text: "continue", news: "ignore" });
    const text = await claimBranch("text");
    await fail(text, "no text");
    await fail(await claimBranch("news"), "no news");
    await complete(await claimBranch("logo"), 1);
    expect((await jobs.read(order.id))?.outputs).toMatchObject({
      enrich: {
        logo: 1,
        text: { id: text.id, status: "failed", result: null, error: { message: "no text" } },
      },
    });
    expect(await jobs.read(order.id)).not.toHaveProperty("outputs.enrich.news");
  });

  test("are refused with a sentence when a name is missing or twice, a policy unknown, or there are none", async () => {
    const order = await anOrder();
    const [logo] = branches();
    await expect(branch(order, [{ ...logo, branch: undefined }])).rejects.toThrow(/needs a name/);
    await expect(branch(order, [logo, logo])).rejects.toThrow(/two branches "logo"/);
    await expect(branch(order, [{ ...logo, onFailure: "hope" }])).rejects.toThrow(/not hope/);
    await expect(branch(order, [])).rejects.toThrow(/there are none/);
    await expect(branch(order, [logo, logo], { p_returns: "child" })).rejects.toThrow(/one child returns/);
    await expect(branch(order, [logo], { p_returns: "all" })).rejects.toThrow(/branches or child/);
    expect(await jobs.read(order.id)).toMatchObject({ stage: "enrich", status: "processing" });
    expect(await db.query("select from lockstep.batches")).toEqual([]);
  });

  test("sent again after a lost reply are not added twice", async () => {
    const order = await aWaitingOrder();
    expect(await branch(order, branches())).toBe("already_applied");
    expect(await db.query("select count(*)::integer from lockstep.jobs where batch_id is not null")).toEqual([
      { count: 3 },
    ]);
  });

  test("of a job that is to be cancelled are not begun, in the last stage either", async () => {
    const short = await jobs.aClaimedJob({ pipeline: "short", by: worker, stage: "short/enrich" });
    await db.value("cancel_job", { p_id: short.id, p_now: noon });
    await branch(short, [{ pipeline: "order:enrich:logo", branch: "logo" }]);
    expect(await jobs.read(short.id)).toMatchObject({ status: "cancelled" });
    expect(await db.query("select from lockstep.batches")).toEqual([]);
  });

  test("whose results are together larger than 1 MiB fail the parent with a sentence", async () => {
    const order = await aWaitingOrder();
    for (const name of ["logo", "text", "news"]) await complete(await claimBranch(name), "x".repeat(400_000));
    expect(await jobs.read(order.id)).toMatchObject({
      ...{ status: "failed", stage: "enrich", error: { code: "invalid_output", message: /bytes together/ } },
    });
    await healthy();
  });
});

test("an only child gives its result as the output", async () => {
  const order = await anOrder();
  await branch(order, [{ pipeline: "order:enrich:logo", payload: 1 }], { p_returns: "child" });
  await complete(await claimBranch("logo"), { url: "x" });
  expect(await jobs.read(order.id)).toMatchObject({ stage: "ship", outputs: { enrich: { url: "x" } } });
  expect(await db.call("branches_of", { p_job_id: order.id })).toMatchObject([
    { branch: null, stage: "enrich" },
  ]);
});

describe("a parent that is cancelled or retried", () => {
  test("while it waits takes its branches with it, and retried lets those run again under their own ids", async () => {
    const order = await aWaitingOrder();
    const logo = await claimBranch("logo");
    await complete(logo, "kept");
    const text = await claimBranch("text");
    expect(await db.value("cancel_job", { p_id: order.id, p_now: noon })).toBe("cancelled");
    const news = (await db.call("branches_of", { p_job_id: order.id })).find(
      ({ branch }) => branch === "news",
    );
    expect(news).toMatchObject({ status: "cancelled" });
    expect(await jobs.read(text.id)).toMatchObject({
      status: "processing",
      cancel_requested_at: expect.anything(),
    });

    expect(await retry(order.id)).toMatchObject([{ answer: "applied" }]);
    expect(await jobs.read(order.id)).toMatchObject({ stage: "enrich", status: "scheduled" });
    expect(await jobs.read(text.id)).toMatchObject({ cancel_requested_at: null });
    await db.value("release_job", { p_id: text.id, p_claim_token: text.claim_token, p_now: noon });
    expect((await claimBranch("text")).id).toBe(text.id);
    const again = await claimBranch("news");
    expect(again.id).toBe(news?.id);
    await healthy();
    await complete(again, 1);
    const [held] = await db.query<{ claim_token: string }>(
      "select claim_token from lockstep.jobs where id = $1",
      [text.id],
    );
    await complete({ ...text, claim_token: held?.claim_token ?? "" }, 2);
    expect(await jobs.read(order.id)).toMatchObject({
      ...{ stage: "ship", status: "pending", outputs: { enrich: { logo: "kept", text: 2, news: 1 } } },
    });
    await healthy();
  });

  test("after all its branches have completed on their own goes on at once", async () => {
    const order = await aWaitingOrder();
    await fail(await claimBranch("logo"), "broken");
    const failed = await db.call<{ id: string; status: string; branch: string }>("branches_of", {
      p_job_id: order.id,
    });
    for (const { id } of failed) await retry(id);
    for (const name of ["logo", "text", "news"]) await complete(await claimBranch(name), name);
    expect(await jobs.read(order.id)).toMatchObject({ status: "failed" });
    await retry(order.id);
    expect(await jobs.read(order.id)).toMatchObject({
      ...{
        stage: "ship",
        status: "pending",
        outputs: { enrich: { logo: "logo", text: "text", news: "news" } },
      },
    });
    await healthy();
  });

  test("from an earlier stage begins new branches", async () => {
    const order = await aWaitingOrder();
    const logo = await claimBranch("logo");
    await fail(logo, "broken");
    await retry(order.id, { p_from_stage: "quote" });
    await complete(await claimIn("order/quote"), { price: 6 });
    await branch(await claimIn("order/enrich"), branches());
    const again = await claimBranch("logo");
    expect(again.id).not.toBe(logo.id);
    expect(await jobs.read(again.id)).toMatchObject({ outputs: { "order/quote": { price: 6 } } });
    expect(await db.call("branches_of", { p_job_id: order.id })).toHaveLength(6);
    await healthy();
  });

  test("in a later stage finds what a branch has returned since", async () => {
    const order = await aWaitingOrder({ news: "continue" });
    const news = await claimBranch("news");
    await fail(news, "later");
    await complete(await claimBranch("logo"));
    await complete(await claimBranch("text"));
    const { id, claim_token } = await claimIn("order/ship");
    await db.value("fail_job", {
      ...{ p_id: id, p_claim_token: claim_token, p_retry: false, p_now: noon },
      p_error: {},
    });
    await retry(news.id);
    const again = await claimBranch("news");
    await retry(order.id);
    expect(await jobs.read(order.id)).toMatchObject({ stage: "ship", status: "scheduled" });
    await complete(again, "fresh");
    expect(await jobs.read(order.id)).toMatchObject({
      ...{
        stage: "ship",
        status: "pending",
        outputs: { enrich: { news: { status: "completed", result: "fresh" } } },
      },
    });
    await healthy();
  });
});

test("a branch that is retried keeps the output that its parent gave it", async () => {
  await aWaitingOrder({ logo: "continue" });
  const logo = await claimBranch("logo");
  await fail(logo, "broken");
  await retry(logo.id);
  expect(await jobs.read(logo.id)).toMatchObject({
    status: "pending",
    outputs: { "order/quote": { price: 5 } },
  });
});

test("a pipeline cannot be a branch of one that does not exist", async () => {
  const definition = { p_name: "x", p_stages: [{ name: "run" }], p_options: { branchOf: "y" } };
  await expect(db.call("define_pipeline", definition)).rejects.toMatchObject({ code: "LS002" });
});
