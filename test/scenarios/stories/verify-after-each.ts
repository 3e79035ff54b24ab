import type { TestDatabase } from "@lockstep/test-support";
import { afterEach, expect } from "vitest";

/** Whatever happened in a story, the invariants hold when it is over. */
export function verifyAfterEach(db: TestDatabase): void {
  afterEach(async () => {
    expect(await db.call("verify")).toEqual([]);
  });
}
