import { testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const orders = { name: "orders", stages: [{ name: "read" }, { name: "send" }], options: { version: 1 } };
const letters = { name: "letters", stages: [{ name: "print" }], options: {} };
let version = 0;

beforeEach(async () => {
  await db.reset();
  for (const { name, stages, options } of [orders, letters]) {
    await db.call("define_pipeline", { p_name: name, p_stages: stages, p_options: options });
  }
  const [row] = await db.call<{ schema_version: number }>("schema_version");
  version = row?.schema_version ?? 0;
});

const recognize = (pipelines: unknown, schemaVersion = version) =>
  db.call("recognize_pipelines", { p_schema_version: schemaVersion, p_pipelines: pipelines });

test("pipelines that are stored as given are recognized, with the ids of their stages", async () => {
  const stages = await db.query<{ id: number; name: string }>("select id, name from lockstep.stages");
  const ids = Object.fromEntries(stages.map(({ id, name }) => [name, id]));
  expect(await recognize([orders, letters])).toEqual([
    {
      stage_ids: { orders: { read: ids.read, send: ids.send }, letters: { print: ids.print } },
    },
  ]);
  expect(await recognize([])).toEqual([{ stage_ids: {} }]);
});

test.each([
  ["is not known", { ...orders, name: "others" }],
  ["has another stage", { ...orders, stages: [...orders.stages, { name: "file" }] }],
  [
    "has a stage with another option",
    { ...orders, stages: [{ name: "read", maxAttempts: 9 }, { name: "send" }] },
  ],
  ["has another option", { ...orders, options: { version: 1, maxPending: 5 } }],
])("nothing is recognized when one of the pipelines %s", async (_, other) => {
  expect(await recognize([letters, other])).toEqual([]);
});

test("nothing is recognized on a schema of another version", async () => {
  expect(await recognize([orders], version - 1)).toEqual([]);
  expect(await recognize([orders], version + 1)).toEqual([]);
});

test("nothing is recognized that functions of another digest have stored", async () => {
  await db.query("update lockstep.applied_functions set digest = digest || 'x'");
  expect(await recognize([orders])).toEqual([]);
  await db.query("update lockstep.applied_functions set digest = left(digest, -1)");
});
