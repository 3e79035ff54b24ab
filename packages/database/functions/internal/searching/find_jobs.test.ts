import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeAll, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const pipelines = ["orders", "letters", "reports"];
const count = 120;

interface Found {
  id: string | null;
  place: object;
}

// Bursts and lulls, busy pipelines and quiet ones, live jobs and finished ones; the same in every run.
beforeAll(async () => {
  for (const name of pipelines) await jobs.aPipeline(name, ["read"]);
  const added = Array.from({ length: count }, (_, number) => ({
    pipeline: pipelines[number < 40 ? 0 : number % 10 === 0 ? 1 : number % 3],
    id: idAt(number < 60 ? number * 10 : number * number * 1_000, number),
    tags: number % 7 === 0 ? ["seventh"] : [],
    owner: number % 11 === 0 ? "ada" : undefined,
  }));
  await db.call("add_jobs", { p_jobs: added });
  const finished = added.filter((_, number) => number % 4 < 2).map(({ id }) => id);
  await db.query("select lockstep.cancel_job(id) from unnest($1::uuid[]) as u (id)", [finished]);
});

describe.each([
  { filter: {}, condition: "true" },
  { filter: { tag: "seventh" }, condition: "tags @> '{seventh}'" },
  {
    filter: { tag: "seventh", statuses: ["cancelled"] },
    condition: "tags @> '{seventh}' and status = 'cancelled'",
  },
  {
    filter: { tag: "seventh", statuses: ["pending", "cancelled"], owner: "ada" },
    condition: "tags @> '{seventh}' and owner = 'ada'",
  },
  { filter: { dedupKey: "none" }, condition: "false" },
])("the jobs of $filter", ({ filter, condition }) => {
  test.each([
    { lookAt: 12, limit: 50 },
    { lookAt: 50, limit: 7 },
    { lookAt: 20_000, limit: 13 },
  ])(
    "come in order, each once, with $lookAt rows to look at and $limit in a page",
    async ({ lookAt, limit }) => {
      const expected = await db.query<{ id: string }>(
        `select id from (
         select id, tags, status, owner from lockstep.jobs
         union all
         select id, tags, status, owner from lockstep.finished_jobs
       ) j where ${condition} order by id desc`,
      );
      const args = { p_filter: filter, p_limit: limit, p_look_at: lookAt };
      const forwards = await walk({ ...args, p_backwards: false });
      expect(forwards).toEqual(expected.map(({ id }) => id));
      const backwards = await walk({ ...args, p_backwards: true });
      expect(backwards).toEqual(forwards.toReversed());
    },
  );
});

/** All that is found from one end on, in the order of the walk. */
async function walk(args: { p_limit: number; p_backwards: boolean }): Promise<string[]> {
  const seen: string[] = [];
  let after: object | undefined;
  for (let calls = 0; calls < 10 * count; calls++) {
    const rows = await db.call<Found>("find_jobs", { ...args, p_after: after });
    const isCut = rows.at(-1)?.id === null;
    const found = rows.flatMap(({ id, place }) => (id === null ? [] : [{ id, place }]));
    const inOrder = args.p_backwards ? found.toReversed() : found;
    seen.push(...inOrder.map(({ id }) => id));
    if (!isCut && found.length < args.p_limit) return seen;
    after = isCut ? rows.at(-1)?.place : inOrder.at(-1)?.place;
  }
  throw new Error("The walk did not end.");
}

function idAt(ms: number, number: number): string {
  const hex = (1_770_000_000_000 + ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(number).padStart(12, "0")}`;
}
