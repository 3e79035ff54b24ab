import { type TestDatabase, testDatabase } from "@lockstep/test-support";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { findPgBouncer, type PgBouncer, startPgBouncer } from "./pg-bouncer.ts";

export interface PooledDatabase {
  /** PostgreSQL itself, for looking at what came of it. */
  readonly direct: TestDatabase;
  /** The same database through PgBouncer. */
  readonly url: string;
}

/** Tests that need a PgBouncer; where there is none they are named as not run. */
export const describeThroughPgBouncer = describe.skipIf(findPgBouncer() === null);

/** Call it in a describeThroughPgBouncer. After each test the invariants hold. */
export function pooledDatabase(): PooledDatabase {
  const direct = testDatabase();
  let bouncer: PgBouncer | undefined;
  beforeAll(async () => {
    bouncer = await startPgBouncer(direct.url);
  });
  afterAll(() => bouncer?.stop());
  beforeEach(() => direct.reset());
  afterEach(async () => {
    expect(await direct.call("verify")).toEqual([]);
  });
  return {
    direct,
    get url() {
      if (bouncer === undefined) throw new Error("PgBouncer is started before the first test, not earlier.");
      return bouncer.through(direct.url);
    },
  };
}
