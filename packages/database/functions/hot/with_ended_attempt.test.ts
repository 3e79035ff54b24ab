import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";

const db = testDatabase();

/** The numbers of the attempts that are kept after so many have ended, one after the other. */
async function keptAfter(ended: number): Promise<number[]> {
  const [row] = await db.query<{ kept: number[] }>(
    `with recursive ended (number, history) as (
       select 0, '{}'::lockstep.ended_attempt[]
       union all
       select e.number + 1, lockstep.with_ended_attempt(
         e.history, row(1, e.number + 1, 'failed', null, null, null, now(), null)::lockstep.ended_attempt
       )
       from ended e where e.number < $1
     )
     select array(select a.attempt::integer from unnest(e.history) with ordinality as a order by a.ordinality) as kept
     from ended e where e.number = $1`,
    [ended],
  );
  return row?.kept ?? [];
}

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

test("a hundred attempts are kept, and of more the oldest are dropped", async () => {
  expect(await keptAfter(100)).toEqual(from(1, 100));
  expect(await keptAfter(101)).toEqual(from(2, 101));
  expect(await keptAfter(250)).toEqual(from(151, 250));
});
