import { JobFactory, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeAll, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let client: pg.Client;

/** A schema before pg_catalog, and temporary objects, that shadow what our functions call without its schema. */
const hostile = `
  create schema hostile;
  create table hostile.calls (what text);
  create function hostile.caught(what text) returns void language sql security definer as
    'insert into hostile.calls values (what)';
  create function hostile.now() returns timestamptz language plpgsql as
    $$ begin perform hostile.caught('now'); return '1999-01-01'; end $$;
  create function hostile.clock_timestamp() returns timestamptz language plpgsql as
    $$ begin perform hostile.caught('clock_timestamp'); return '1999-01-01'; end $$;
  create function hostile.gen_random_uuid() returns uuid language plpgsql as
    $$ begin perform hostile.caught('gen_random_uuid'); return '00000000-0000-0000-0000-000000000000'; end $$;
  create function hostile.nextval(regclass) returns bigint language plpgsql as
    $$ begin perform hostile.caught('nextval'); return 1; end $$;
  create function hostile.jsonb_array_length(jsonb) returns integer language plpgsql as
    $$ begin perform hostile.caught('jsonb_array_length'); return 0; end $$;
  create function hostile.jsonb_build_array(variadic "any") returns jsonb language internal as 'jsonb_build_array';
  create function hostile.replace(text, text, text) returns text language plpgsql as
    $$ begin perform hostile.caught('replace'); return 'x'; end $$;
  create function hostile.floor(numeric) returns numeric language plpgsql as
    $$ begin perform hostile.caught('floor'); return 0; end $$;
  create function hostile.never(uuid, uuid) returns boolean language plpgsql as
    $$ begin perform hostile.caught('='); return false; end $$;
  create operator hostile.= (leftarg = uuid, rightarg = uuid, function = hostile.never);
  create function hostile.never(text, text) returns boolean language plpgsql as
    $$ begin perform hostile.caught('= of text'); return false; end $$;
  create operator hostile.= (leftarg = text, rightarg = text, function = hostile.never);
  create function hostile.later(timestamptz, timestamptz) returns boolean language plpgsql as
    $$ begin perform hostile.caught('>'); return true; end $$;
  create operator hostile.> (leftarg = timestamptz, rightarg = timestamptz, function = hostile.later);
  create temporary table jobs (id uuid);
  create temporary table pg_roles (rolname text);
  set search_path = hostile, pg_temp, pg_catalog;
`;

beforeAll(async () => {
  await jobs.aPipeline("orders", ["read", "write"]);
  client = await db.connect();
  await client.query(hostile);
});

const one = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows[0];

test("a hostile schema in the caller's search path is really in the way of the caller", async () => {
  await one("select now()");
  expect(await db.query("select what from hostile.calls")).toContainEqual({ what: "now" });
  await db.query("truncate hostile.calls");
});

test("a whole life of jobs under it is as always, and none of its functions is called", async () => {
  const worker = "00000000-0000-4000-8000-00000000000b";
  const { id } = await one(
    "select * from lockstep.add_job('orders', '{\"n\": 1}', p_dedup_key => 'k', p_owner => 'ada')",
  );
  expect(
    (await one("select * from lockstep.add_job('orders', p_dedup_key => 'k', p_owner => 'ada')")).id,
  ).toBe(id);
  await one("select lockstep.register_worker($1, 'w', p_stages => '{orders/read,orders/write}')", [worker]);
  expect((await one("select alive from lockstep.heartbeat($1, p_in_doubt => true)", [worker])).alive).toBe(
    true,
  );

  const first = await one("select * from lockstep.claim_jobs($1, '{orders/read}')", [worker]);
  expect(first.id).toBe(id);
  await one("select lockstep.report_progress($1, $2, 50)", [id, first.claim_token]);
  expect(
    (await one("select lockstep.complete_job($1, $2, '7') as answer", [id, first.claim_token])).answer,
  ).toBe("applied");
  const second = await one("select * from lockstep.claim_jobs($1, '{orders/write}')", [worker]);
  expect(second.output).toBe(7);
  await one("select lockstep.fail_job($1, $2, '{}', false)", [id, second.claim_token]);
  expect((await one("select answer from lockstep.retry_job($1)", [id])).answer).toBe("applied");
  expect((await one("select lockstep.cancel_job($1) as answer", [id])).answer).toBe("cancelled");
  expect((await one("select status from lockstep.get_job($1)", [id])).status).toBe("cancelled");
  await one("select * from lockstep.list_jobs()");
  await one("select * from lockstep.explain_job($1)", [id]);
  await one("select * from lockstep.sweep_lost_workers()");
  await one("select lockstep.fold_counters()");
  await one("select lockstep.delete_finished_jobs()");
  expect(await one("select * from lockstep.verify()")).toBeUndefined();

  expect(await db.query("select distinct what from hostile.calls")).toEqual([]);
});
