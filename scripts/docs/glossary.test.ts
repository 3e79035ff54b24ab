import { testDatabase } from "@lockstep/test-support";
import { definePipeline, engineSettings } from "lockstep";
import { expect, test } from "vitest";
import { filesBelow, read, tablesOf } from "./page.ts";

const db = testDatabase();

/** Everything a page may name: what is in the schema, what the packages export, settings and options, events. */
async function knownNames(): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'lockstep'::regnamespace
     union select proname from pg_proc where pronamespace = 'lockstep'::regnamespace
     union select typname from pg_type where typnamespace = 'lockstep'::regnamespace
     union select a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'lockstep'::regnamespace and a.attnum > 0`,
  );
  const sources = filesBelow("packages/engine/src", ".ts").map(read).join("\n");
  const exported = sources.matchAll(
    /^export (?:abstract |async )?(?:class|function|interface|type|const) (\w+)/gm,
  );
  const events = sources.matchAll(/^ {2}"([a-z]+\.[a-z_]+)":/gm);
  const [stage] = definePipeline("any").stage("only", () => null).stages;
  return new Set([
    ...rows.map(({ name }) => name),
    ...[...exported, ...events].map(([, name = ""]) => name),
    ...Object.keys(engineSettings),
    ...Object.keys(stage !== undefined && "options" in stage ? stage.options : {}),
  ]);
}

const glossary = tablesOf(read("docs/glossary.md")).filter((cells) => cells.length === 3);

test("docs/glossary.md explains each word once and says where it lives", () => {
  const words = glossary.flatMap(([word = ""]) => word.split(", "));
  expect(words.length).toBeGreaterThan(80);
  expect(words.filter((word, index) => words.indexOf(word) < index)).toEqual([]);
  expect(glossary.filter(([, meaning, where]) => meaning === "" || where === "")).toEqual([]);
});

test("what docs/glossary.md names as the home of a word exists", async () => {
  const known = await knownNames();
  const homes = glossary.flatMap(([, , where = ""]) => [...where.matchAll(/`([^`]+)`/g)]);
  expect(homes.map(([, name = ""]) => name).filter((name) => !known.has(name))).toEqual([]);
});

test("the functions, tables, indexes and classes that docs/claiming.md names exist", async () => {
  const known = await knownNames();
  // an answer of ours and a setting of PostgreSQL
  const others = ["lease_lost", "synchronous_commit"];
  const names = [...read("docs/claiming.md").matchAll(/`([a-z]+(?:_[a-z]+)+|[A-Z][a-z]\w+)`/g)];
  expect(names.length).toBeGreaterThan(40);
  expect(
    names.map(([, name = ""]) => name).filter((name) => !known.has(name) && !others.includes(name)),
  ).toEqual([]);
});
