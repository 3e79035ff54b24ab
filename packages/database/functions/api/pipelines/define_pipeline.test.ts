import { JobFactory, noon, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(() => db.reset());

interface StageRow {
  id: number;
  name: string;
  ordinal: number | null;
  next: string | null;
  xmin: string;
}

async function storedStages(pipeline: string): Promise<StageRow[]> {
  return db.query<StageRow>(
    `select s.id, s.name, s.ordinal, n.name as next, s.xmin::text
     from lockstep.stages s
     join lockstep.pipelines p on p.id = s.pipeline_id
     left join lockstep.stages n on n.id = s.next_stage_id
     where p.name = $1
     order by s.ordinal, s.name`,
    [pipeline],
  );
}

describe("a new pipeline", () => {
  test("has its stages in the order given, each with the defaults", async () => {
    await jobs.aPipeline("orders", ["read", "write", "send"]);
    expect(await storedStages("orders")).toMatchObject([
      { name: "read", ordinal: 1, next: "write" },
      { name: "write", ordinal: 2, next: "send" },
      { name: "send", ordinal: 3, next: null },
    ]);
    expect(
      await db.query(
        `select distinct max_attempts, max_losses, timeout_ms, retry_kind, retry_base_ms, retry_cap_ms, retry_jitter
         from lockstep.stages`,
      ),
    ).toEqual([
      {
        max_attempts: 3,
        max_losses: 3,
        timeout_ms: "300000",
        retry_kind: "exponential",
        retry_base_ms: "120000",
        retry_cap_ms: "3600000",
        retry_jitter: 0.5,
      },
    ]);
  });

  test("keeps the settings of its stages, and a timeout of null is none", async () => {
    await jobs.aPipeline("orders", [
      {
        name: "read",
        maxAttempts: 7,
        maxLosses: 2,
        timeoutMs: null,
        retry: { kind: "linear", baseMs: 10, capMs: 20, jitter: 0 },
      },
    ]);
    expect(await db.query("select * from lockstep.stages")).toMatchObject([
      {
        max_attempts: 7,
        max_losses: 2,
        timeout_ms: null,
        retry_kind: "linear",
        retry_base_ms: "10",
        retry_cap_ms: "20",
        retry_jitter: 0,
      },
    ]);
  });

  test("is defined once when many workers start at the same moment", async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => db.connect()));
    const answers = await Promise.all(
      clients.map((client) =>
        client.query(
          `select * from lockstep.define_pipeline('orders', '[{"name": "read"}, {"name": "write"}]')`,
        ),
      ),
    );
    for (const { rows } of answers) expect(rows).toEqual(answers[0]?.rows);
    expect(await storedStages("orders")).toHaveLength(2);
  });
});

describe("a pipeline that is defined again", () => {
  test("locks and writes nothing when nothing changed", async () => {
    const stored = async () => [
      await storedStages("orders"),
      await db.query(
        "select xmin::text, pg_sequence_last_value('lockstep.pipelines_id_seq') from lockstep.pipelines",
      ),
    ];
    const definition = `select * from lockstep.define_pipeline('orders', '[{"name": "read"}]', '{"maxPending": 9}')`;
    const first = await db.query(definition);
    const before = await stored();
    const holder = await db.connect();
    onTestFinished(async () => void (await holder.query("rollback")));
    await holder.query(
      "begin; select from lockstep.pipelines for update; select from lockstep.stages for update",
    );
    const other = await db.connect();
    await other.query("set lock_timeout = '1s'");
    expect((await other.query(definition)).rows).toEqual(first);
    expect(await stored()).toEqual(before);
  });

  test("takes changed settings and keeps the ids and pauses of its stages", async () => {
    const first = await jobs.aPipeline("orders", ["read", "write"]);
    await db.value("pause_stage", { p_pipeline: "orders", p_stage: "read" });
    expect(await jobs.aPipeline("orders", [{ name: "read", maxAttempts: 9 }, "write"])).toEqual(first);
    expect(
      await db.query(
        "select max_attempts, paused_at is not null as paused from lockstep.stages where name = 'read'",
      ),
    ).toEqual([{ max_attempts: 9, paused: true }]);
  });

  test("in another order sends its jobs the new way", async () => {
    const first = await jobs.aPipeline("orders", ["read", "write"]);
    expect(await jobs.aPipeline("orders", ["write", "read"])).toEqual(first);
    expect(await storedStages("orders")).toMatchObject([
      { name: "write", ordinal: 1, next: "read" },
      { name: "read", ordinal: 2, next: null },
    ]);
  });

  test("without one of its stages keeps that stage's jobs and their way on", async () => {
    await jobs.aPipeline("orders", ["read", "write"]);
    const worker = await jobs.aWorker();
    const waiting = await jobs.aPendingJob();
    await jobs.aPipeline("orders", ["write"]);

    expect(await jobs.claimAs(worker, { stage: "orders/write" })).toEqual([]);
    const [claimed] = await jobs.claimAs(worker, { stage: "orders/read" });
    expect(claimed?.id).toBe(waiting);
    await db.value("complete_job", {
      p_id: waiting,
      p_claim_token: claimed?.claim_token,
      p_output: "read",
      p_now: noon,
    });
    expect(await jobs.read(waiting)).toMatchObject({
      stage: "write",
      status: "pending",
      outputs: { read: "read" },
    });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("lets new jobs into the stage that is the first now", async () => {
    await jobs.aPipeline("orders", ["read", "write"]);
    await jobs.aPipeline("orders", ["write"]);
    expect(await jobs.read(await jobs.aPendingJob())).toMatchObject({ stage: "write" });
  });

  test("takes back a stage that it had left out, under the old id", async () => {
    const first = await jobs.aPipeline("orders", ["read", "write"]);
    await jobs.aPipeline("orders", ["write"]);
    expect(await jobs.aPipeline("orders", ["read", "write"])).toEqual(first);
    expect(await storedStages("orders")).toMatchObject([{ next: "write" }, { next: null }]);
  });

  test("with other options takes them, and takes them back", async () => {
    const maxPending = () => db.query("select max_pending from lockstep.pipelines");
    await jobs.aPipeline("orders", ["read"], { maxPending: 9 });
    await jobs.aPipeline("orders", ["read"]);
    expect(await maxPending()).toEqual([{ max_pending: null }]);
    await jobs.aPipeline("orders", ["read"], { maxPending: 9 });
    expect(await maxPending()).toEqual([{ max_pending: 9 }]);
  });

  test("in an older version changes nothing, though that was the newest once", async () => {
    const first = await jobs.aPipeline("orders", ["read", "write"], { version: 1 });
    const second = await jobs.aPipeline("orders", ["write", "send"], { version: 2 });
    const before = await storedStages("orders");
    expect(await jobs.aPipeline("orders", ["read", "write"], { version: 1 })).toEqual(first);
    expect(await jobs.aPipeline("orders", ["write", "send"], { version: 2 })).toEqual(second);
    expect(await storedStages("orders")).toEqual(before);
  });

  test("with a first limit locks the jobs that run by id, so that it cannot deadlock with settles", async () => {
    await jobs.aPipeline("orders", ["read"]);
    const worker = await jobs.aWorker();
    // The larger id is the first in the table and in the line.
    const [low, high] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
    const claims = [
      await jobs.aClaimedJob({ by: worker, id: high }),
      await jobs.aClaimedJob({ by: worker, id: low }),
    ];
    const [settler, definer] = [await db.connect(), await db.connect()];
    const settle = (id: string) =>
      settler.query("select lockstep.complete_job($1, $2, p_now => $3)", [
        id,
        claims.find((claim) => claim.id === id)?.claim_token,
        noon,
      ]);
    await settler.query("begin");
    await settle(low);
    const defining = definer.query(
      `select from lockstep.define_pipeline('orders', '[{"name": "read", "concurrency": 5}]')`,
    );
    await untilBlocked(db);
    await settle(high);
    await settler.query("commit");
    await defining;
    expect(await db.query("select from lockstep.jobs")).toEqual([]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("is read anew when the functions have changed meanwhile", async () => {
    await jobs.aPipeline("orders", ["read"]);
    await db.query("update lockstep.applied_functions set digest = 'as they were'");
    await jobs.aPipeline("orders", ["read"]);
    // As those would leave it whose default is another one.
    await db.query("update lockstep.stages set max_attempts = 4");
    await jobs.aPipeline("orders", ["read"]);
    const maxAttempts = () => db.query("select max_attempts from lockstep.stages");
    expect(await maxAttempts()).toEqual([{ max_attempts: 4 }]);
    await db.query("update lockstep.applied_functions set digest = 'as they are'");
    await jobs.aPipeline("orders", ["read"]);
    expect(await maxAttempts()).toEqual([{ max_attempts: 3 }]);
  });
});

describe("a definition is refused, and changes nothing,", () => {
  test.each([
    ["without a name", null, [{ name: "read" }], "LS001", /"" is not a valid name/],
    ["with a slash in its name", "a/b", [{ name: "read" }], "LS001", /"a\/b" is not a valid name/],
    ["with a name of 101 letters", "a".repeat(101), [{ name: "read" }], "LS001", /is not a valid name/],
    ["without stages", "orders", [], "LS001", /at least one stage/],
    ["with something else than stages", "orders", { name: "read" }, "LS001", /at least one stage/],
    ["without any stages argument", "orders", null, "LS001", /at least one stage/],
    ["with the same stage twice", "orders", [{ name: "a" }, { name: "a" }], "LS001", /same name/],
    ["with a stage without a name", "orders", [{}], "LS001", /one has none/],
    ["with a slash in a stage's name", "orders", [{ name: "a/b" }], "23514", /stage_name_is_speakable/],
    [
      "with no attempts at all",
      "orders",
      [{ name: "a", maxAttempts: 0 }],
      "23514",
      /max_attempts_is_1_to_100/,
    ],
    ["with too many losses", "orders", [{ name: "a", maxLosses: 101 }], "23514", /max_losses_is_1_to_100/],
    ["with a timeout of 0", "orders", [{ name: "a", timeoutMs: 0 }], "23514", /timeout_is_positive/],
    [
      "with an unknown retry",
      "orders",
      [{ name: "a", retry: { kind: "?" } }],
      "23514",
      /retry_kind_is_known/,
    ],
    [
      "with too much jitter",
      "orders",
      [{ name: "a", retry: { jitter: 2 } }],
      "23514",
      /retry_jitter_is_a_share/,
    ],
  ])("%s", async (_case, name, stages, code, message) => {
    const refused = db.call("define_pipeline", { p_name: name, p_stages: stages });
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(
      await db.query("select 1 from lockstep.pipelines union all select 1 from lockstep.stages"),
    ).toEqual([]);
  });
});
