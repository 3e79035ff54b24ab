import {
  type ClaimedJob,
  forgetClaims,
  JobFactory,
  ManualClock,
  noon,
  secondsAfter,
  testDatabase,
} from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { giveUp } from "../../jobs/outcomes/outcome.ts";
import { PermanentError } from "../../jobs/outcomes/permanent-error.ts";
import { UnknownOutcomeError } from "../../jobs/outcomes/unknown-outcome-error.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { EffectStore } from "../../store/working/effect-store.ts";
import { noBudgets } from "../../test-support/no-budgets.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { EffectRunner, type EffectRunnerParts } from "./effect-runner.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker();
});

function realStore(): EffectStore {
  const database = new Database({
    target: targetAt(db.url),
    connections: 4,
    transactionPooler: false,
    applicationName: "lockstep tests: effects",
  });
  onTestFinished(() => database.close(systemClock));
  return new EffectStore(database);
}

/** One try of a claimed job, with what its effects are run by. */
function aTry(job: ClaimedJob, parts: Partial<EffectRunnerParts> = {}) {
  const stop = new AbortController();
  const clock = new ManualClock();
  const logged: string[] = [];
  const lost: string[] = [];
  const write = (message: string) => void logged.push(message);
  const effects = new EffectRunner(
    {
      claim: { jobId: job.id, token: job.claim_token },
      signal: stop.signal,
      log: { debug: write, info: write, warn: write, error: write },
      spend: noBudgets.spend,
      checkSpend: () => {},
    },
    {
      store: realStore(),
      clock,
      graceMs: 5_000,
      isTrusted: () => true,
      isStillHeld: async () => false,
      onLost: ({ jobId }) => void lost.push(jobId),
      ...parts,
    },
  );
  return { once: effects.once.bind(effects), stop, clock, logged, lost };
}

const aClaimedJob = () => jobs.aClaimedJob({ by: worker });

/** As after a crash, a release or a failed attempt: the job is claimed again. */
async function claimedAnew(job: ClaimedJob): Promise<ClaimedJob> {
  await db.value("release_job", { p_id: job.id, p_claim_token: job.claim_token, p_now: noon });
  const [claimed] = await jobs.claimAs(worker, { at: secondsAfter(noon, 1) });
  if (claimed === undefined) throw new Error("The job was not claimed anew.");
  return claimed;
}

const stateOf = async (job: ClaimedJob) =>
  (await db.call("job_effects", { p_id: job.id })).map(({ key, state }) => `${key} ${state}`);

describe("an effect", () => {
  test("runs once, and later calls and attempts get what it returned", async () => {
    const job = await aClaimedJob();
    const { once } = aTry(job);
    expect(await once("ask", () => ({ text: "hello" }))).toEqual({ text: "hello" });
    const never = () => Promise.reject(new Error("It ran again."));
    expect(await once("ask", never)).toEqual({ text: "hello" });
    expect(await aTry(await claimedAnew(job)).once("ask", never)).toEqual({ text: "hello" });
  });

  test("is recorded as started, durably, before it runs", async () => {
    const job = await aClaimedJob();
    await aTry(job).once("ask", async () => {
      expect(await stateOf(job)).toEqual(["ask running"]);
    });
    expect(await stateOf(job)).toEqual(["ask done"]);
  });

  test.each<[string, unknown, unknown]>([
    ["nothing", undefined, undefined],
    ["null", null, null],
    ["a date, as JSON has it", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["a text that was cut in a character", "a\ud83d", "a\uFFFD"],
  ])("gives %s the first time just as later", async (_what, returned, given) => {
    const { once } = aTry(await aClaimedJob());
    expect(await once("ask", () => returned)).toEqual(given);
    expect(await once("ask", () => returned)).toEqual(given);
  });

  test("that returns what cannot be kept is done all the same, and fails the job with a sentence", async () => {
    const job = await aClaimedJob();
    const failing = aTry(job).once("ask", () => "x".repeat(1_048_577));
    await expect(failing).rejects.toMatchObject({
      name: "InvalidOutputError",
      message: expect.stringMatching(/^Effect "ask" of job \S+ has happened, but .* larger than 1 MiB/),
    });
    expect(await stateOf(job)).toEqual(["ask done"]);
  });

  test("runs beside one of another key, but not beside itself", async () => {
    const { once } = aTry(await aClaimedJob());
    const one = once("ask", async () => {
      await expect(once("ask", () => 2)).rejects.toThrow(
        /^Effect "ask" of job \S+ is running in this attempt already/,
      );
      return once("mail", () => 1);
    });
    expect(await one).toBe(1);
  });

  test("that answers with giveUp leaves that to the engine and has not happened", async () => {
    const job = await aClaimedJob();
    const answer = giveUp("no such address");
    await expect(aTry(job).once("mail", () => answer)).rejects.toBe(answer);
    expect(await stateOf(job)).toEqual(["mail stopped"]);
  });
});

describe("an effect that throws", () => {
  const keysOf = async (thrown: unknown, abort = false) => {
    const keys: string[] = [];
    const doubts: boolean[] = [];
    const job = await aClaimedJob();
    const { once, stop } = aTry(job);
    const failing = once("mail", ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      if (abort) stop.abort(new Error("shutdown"));
      throw thrown;
    });
    await expect(failing).rejects.toBe(thrown);
    const state = await stateOf(job);
    await aTry(await claimedAnew(job)).once("mail", ({ idempotencyKey, mayHaveHappened }) => {
      keys.push(idempotencyKey);
      doubts.push(mayHaveHappened);
    });
    expect(keys[1]).toBe(keys[0]);
    return { state, doubts };
  };

  test.each<[string, unknown, boolean, string, boolean]>([
    ["has not happened", new Error("400 Bad Request"), false, "mail stopped", false],
    ["may have happened, if it says so", new UnknownOutcomeError("no answer"), false, "mail unknown", true],
    ["may have happened, if it was aborted", new Error("stopped half way"), true, "mail unknown", true],
  ])("%s, and runs again with the same idempotency key", async (_what, thrown, abort, state, inDoubt) => {
    expect(await keysOf(thrown, abort)).toEqual({ state: [state], doubts: [inDoubt] });
  });
});

describe("an effect of which nobody knows whether it happened", () => {
  async function aJobInDoubt(): Promise<ClaimedJob> {
    const job = await aClaimedJob();
    const named = { p_id: job.id, p_claim_token: job.claim_token, p_key: "sms" };
    await db.call("begin_effect", named);
    return claimedAnew(job);
  }

  test("runs again by default, which is logged", async () => {
    const { once, logged } = aTry(await aJobInDoubt());
    expect(await once("sms", ({ mayHaveHappened }) => mayHaveHappened)).toBe(true);
    expect(logged).toEqual([
      'Effect "sms" may have happened in an earlier attempt; it runs again with the same idempotency key',
    ]);
  });

  test("is answered with null, and logged, when it may be skipped", async () => {
    const { once, logged } = aTry(await aJobInDoubt());
    expect(await once("sms", () => 1, { unknown: "skip" })).toBeNull();
    expect(logged).toEqual(['Effect "sms" may have happened in an earlier attempt and is skipped']);
  });

  test("fails the job with a sentence, until a person has told the ledger", async () => {
    const job = await aJobInDoubt();
    const { once } = aTry(job);
    const failing = once("sms", () => 1, { unknown: "fail" });
    await expect(failing).rejects.toBeInstanceOf(PermanentError);
    await expect(failing).rejects.toThrow(
      new RegExp(`^It is not known whether effect "sms" of job ${job.id} happened: .* confirm_effect`),
    );
    await db.value("confirm_effect", { p_id: job.id, p_key: "sms", p_value: "sent" });
    expect(await once("sms", () => 1, { unknown: "fail" })).toBe("sent");
  });
});

describe("an attempt that has lost its claim", () => {
  test("does not run an effect", async () => {
    const job = await aClaimedJob();
    await claimedAnew(job);
    const { once, lost } = aTry(job);
    await expect(once("mail", () => Promise.reject(new Error("It ran.")))).rejects.toMatchObject({
      name: "LeaseLostError",
      message: expect.stringContaining('Effect "mail" was not begun.'),
    });
    expect(lost).toEqual([job.id]);
  });

  test("is told so when its effect has happened, and the new holder knows of it", async () => {
    const job = await aClaimedJob();
    const anew: ClaimedJob[] = [];
    const { once, lost } = aTry(job);
    const late = once("mail", async () => {
      anew.push(await claimedAnew(job));
      return "sent";
    });
    await expect(late).rejects.toMatchObject({ name: "LeaseLostError" });
    expect(lost).toEqual([job.id]);
    const [claim] = anew;
    const never = () => Promise.reject(new Error("It ran again."));
    expect(claim && (await aTry(claim).once("mail", never))).toBe("sent");
  });

  test("does not run what the ledger let it begin before it stood still", async () => {
    const job = await aClaimedJob();
    const { once, lost } = aTry(job, { isTrusted: () => false });
    await expect(once("mail", () => Promise.reject(new Error("It ran.")))).rejects.toThrow(
      'Effect "mail" was not run.',
    );
    expect(lost).toEqual([job.id]);
    expect(await stateOf(job)).toEqual(["mail stopped"]);
  });

  test("does not run what was aborted while the ledger was asked", async () => {
    const job = await aClaimedJob();
    const store = realStore();
    const { once, stop } = aTry(job, {
      store: {
        begin: async (...args) => {
          const begun = await store.begin(...args);
          stop.abort(new Error("shutdown"));
          return begun;
        },
        finish: store.finish.bind(store),
        fail: store.fail.bind(store),
      },
    });
    await expect(once("mail", () => Promise.reject(new Error("It ran.")))).rejects.toThrow("shutdown");
    expect(await stateOf(job)).toEqual(["mail stopped"]);
    await expect(once("mail", () => 1)).rejects.toThrow("shutdown");
  });
});

describe("while the database is away", () => {
  const away = () => new DatabaseUnavailableError(Object.assign(new Error("gone"), { code: "57P01" }));

  test("the ledger is asked and told again, and the effect runs once", async () => {
    const job = await aClaimedJob();
    const store = realStore();
    const calls: string[] = [];
    // Each reply is lost once, after the call was carried out.
    const loseFirst = async <Answer>(name: string, answer: Promise<Answer>): Promise<Answer> => {
      await answer;
      calls.push(name);
      if (calls.filter((called) => called === name).length === 1) throw away();
      return answer;
    };
    const { once, clock } = aTry(job, {
      store: {
        begin: (...args) => loseFirst("begin", store.begin(...args)),
        finish: (...args) => loseFirst("finish", store.finish(...args)),
        fail: store.fail.bind(store),
      },
    });
    const running = once("mail", () => void calls.push("run"));
    for (const _ of ["begin", "finish"]) {
      await clock.whenAsleep(1);
      await clock.advance(500);
    }
    expect(await running).toBeUndefined();
    expect(calls).toEqual(["begin", "begin", "run", "finish", "finish"]);
    expect(await stateOf(job)).toEqual(["mail done"]);
  });

  test("an attempt that is told to stop does not wait for it", async () => {
    const store = { begin: () => Promise.reject(away()), finish: () => Promise.reject(away()) };
    const { once, clock, stop } = aTry(await aClaimedJob(), {
      store: { ...store, fail: () => Promise.reject(away()) },
    });
    const waiting = once("mail", () => 1);
    await clock.whenAsleep(1);
    stop.abort(new Error("shutdown"));
    await expect(waiting).rejects.toBeInstanceOf(DatabaseUnavailableError);
  });

  test("nor is one lost whose claim a crash of PostgreSQL has only forgotten", async () => {
    const job = await aClaimedJob();
    await forgetClaims(db);
    const presented: string[] = [];
    const { once, lost } = aTry(job, {
      isStillHeld: async ({ jobId }) => {
        presented.push(jobId);
        const [stage] = await db.query<{ stage_id: number }>("select stage_id from lockstep.jobs");
        const gone = await db.call("present_claims", {
          p_worker_id: worker,
          p_ids: [jobId],
          p_tokens: [job.claim_token],
          p_stage_ids: [stage?.stage_id],
          p_attempts: [1],
          p_now: noon,
        });
        return gone.length === 0;
      },
    });
    expect(await once("mail", () => "sent")).toBe("sent");
    expect([presented, lost]).toEqual([[job.id], []]);
  });

  test("nor does one whose call is never answered", async () => {
    const silent = () => new Promise<never>(() => {});
    const { once, clock, stop } = aTry(await aClaimedJob(), {
      store: { begin: silent, finish: silent, fail: silent },
    });
    const ended = expect(once("mail", () => 1)).rejects.toThrow("shutdown");
    stop.abort(new Error("shutdown"));
    await clock.whenAsleep(1);
    await clock.advance(5_000);
    await ended;
  });

  test("what the effect threw is what the handler hears", async () => {
    const store = realStore();
    const { once, clock, stop } = aTry(await aClaimedJob(), {
      store: {
        begin: store.begin.bind(store),
        finish: store.finish.bind(store),
        fail: () => Promise.reject(away()),
      },
    });
    const failing = expect(once("mail", () => Promise.reject(new Error("400")))).rejects.toThrow("400");
    await clock.whenAsleep(1);
    stop.abort(new Error("shutdown"));
    await failing;
  });
});
