import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { definePipeline, engineSettings } from "lockstep";
import { describe, expect, test } from "vitest";
import { repository } from "./run-command.ts";

const db = testDatabase();

function read(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

const pages = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => `docs/${path}`),
  ...["database", "engine", "local-postgres", "testing", "cli", "server"].map(
    (name) => `packages/${name}/README.md`,
  ),
  "apps/website-analysis/README.md",
  "apps/daily-brief/README.md",
];

/** The rows of the table under a heading, without its head; each a list of cells. */
function tableUnder(page: string, heading: string): string[][] {
  const [, after = ""] = page.split(`\n${heading}\n`);
  const [table = ""] = /^\|.*(?:\n\|.*)*/m.exec(after) ?? [];
  const [, , ...rows] = table.split("\n");
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function blocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, code = ""]) => code,
  );
}

describe("the README", () => {
  test("shows examples/first-pipeline.ts as it is, in at most 25 lines", () => {
    const example = read("examples/first-pipeline.ts");
    expect(blocks(read("README.md"), "ts")).toEqual([example]);
    expect(example.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
  });

  test("stays within 150 lines", () => {
    expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });
});

test.each([
  ["docs/adding.md", "examples/adding.ts"],
  ["docs/limits.md", "examples/limits.ts"],
  ["docs/batches.md", "examples/batches.ts"],
  ["docs/operating.md", "examples/operating.ts"],
  ["docs/deploying.md", "examples/deploy-gate.ts"],
  ["docs/testing-pipelines.md", "examples/testing-a-pipeline.ts"],
])("%s shows %s as it is", (page, example) => {
  expect(blocks(read(page), "ts")).toEqual([read(example)]);
});

test("docs/schedules.md shows examples/schedule.ts as it is", () => {
  expect(blocks(read("docs/schedules.md"), "ts")).toEqual([read("examples/schedule.ts")]);
});

test.each(pages)("what %s links to or names as a file exists", (page) => {
  const text = read(page).replace(/^```.*?^```$/gms, "");
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) =>
    join(dirname(page), target),
  );
  const named = [...text.matchAll(/`([\w.-]*[\w-](?:\/[\w.-]+)*)`/g)].flatMap(([, name = ""]) =>
    placeOf(name),
  );
  const missing = [...links, ...named].filter((path) => !existsSync(join(repository, path)));
  expect(missing).toEqual([]);
});

/** Where a file that a page names in short must lie; nothing for what is no file. */
function placeOf(name: string): string[] {
  if (/^(packages|scripts|examples|docs|test)\//.test(name)) return [name];
  if (/^(runtime|store|jobs|events)\/.+\.(ts|js)$/.test(name)) return [`packages/engine/src/${name}`];
  if (/^[a-z]\w+(\.\w+)*\.(sql|test\.ts)$/.test(name)) return [`packages/database/functions/${name}`];
  return [];
}

describe("docs/configuration.md", () => {
  const page = read("docs/configuration.md");

  test("lists every setting of the engine with its unit, default, classic value, range and sentence", () => {
    const expected = Object.entries(engineSettings).map(([name, setting]) => [
      `\`${name}\``,
      unitOf(name),
      shown(name, setting.default),
      "classic" in setting ? shown(name, setting.classic) : "",
      rangeOf(setting.check(Number.NaN) ?? ""),
      setting.sentence,
    ]);
    expect(tableUnder(page, "## Settings of an engine")).toEqual(expected);
  });

  test("lists every option of a stage with its default", () => {
    const [stage] = definePipeline("any").stage("only", () => null).stages;
    const { retry, limits: _limits, ...options } = stage?.options ?? {};
    const rowsOf = (values: object) =>
      Object.entries(values).map(([name, value]) => [`\`${name}\``, unitOf(name), shown(name, value)]);
    const listed = (heading: string) => tableUnder(page, heading).map((row) => row.slice(0, 3));
    expect(listed("## Options of a stage")).toEqual([...rowsOf(options), ["`retry`", "", "see below"]]);
    expect(listed("## Retry policy of a stage")).toEqual(rowsOf(retry ?? {}));
  });

  function unitOf(name: string): string {
    return name.endsWith("Ms") ? "ms" : name.endsWith("Days") ? "days" : "";
  }

  function shown(name: string, value: unknown): string {
    if (value === undefined) return "required";
    if (name === "logger") return "standard error";
    if (name === "clock") return "the system's";
    return typeof value === "number" ? number(value) : `\`${JSON.stringify(value)}\``;
  }

  function rangeOf(complaint: string): string {
    const [, least = "", most = ""] = /from (\d+) to (\d+)/.exec(complaint) ?? [];
    const nullable = complaint.endsWith(", or null") ? " or `null`" : "";
    return least === "" ? "" : `${number(Number(least))}–${number(Number(most))}${nullable}`;
  }

  function number(value: number): string {
    return value.toLocaleString("en-US");
  }
});

describe("docs/sql-api.md", () => {
  const page = read("docs/sql-api.md");
  const [, grantsJson = ""] =
    /v_grants constant jsonb := '(\{.*?\})'/s.exec(read("packages/database/grants/grant_roles.sql")) ?? [];
  const grants: Record<string, string> = JSON.parse(grantsJson);
  const roles = ["viewer", "producer", "operator", "worker"];
  const functions = Object.keys(grants).sort();

  test("has a heading for each function that a role may call, with its arguments", async () => {
    const headings = [...page.matchAll(/^### `(\w+)\((.*)\)`$/gm)].map(([, name, args]) => ({ name, args }));
    const rows = await db.query<{ name: string; args: string }>(
      `select p.proname as name, coalesce((
         select string_agg(a.name, ', ' order by a.ordinality)
         from unnest(p.proargnames, p.proargmodes) with ordinality as a (name, mode, ordinality)
         where coalesce(a.mode, 'i') = 'i' and a.name <> 'p_now'
       ), '') as args
       from pg_proc p
       where p.pronamespace = 'lockstep'::regnamespace and p.proname = any ($1)`,
      [functions],
    );
    const byName = (one: { name?: string }, other: { name?: string }) =>
      (one.name ?? "") < (other.name ?? "") ? -1 : 1;
    expect(headings.sort(byName)).toEqual(rows.sort(byName));
  });

  test("says which role may call what", () => {
    const expected = functions.map((name) => [
      `\`${name}\``,
      ...roles.map((role) => (grants[name]?.split(" ").includes(role) ? "yes" : "")),
    ]);
    expect(tableUnder(page, "## Roles").sort()).toEqual(expected.sort());
  });

  test("lists the error codes that the functions raise", () => {
    const folder = join(repository, "packages/database/functions");
    const sql = readdirSync(folder)
      .filter((name) => name.endsWith(".sql"))
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
    const raised = new Set([...sql.matchAll(/errcode = '(\w{5})'/g)].map(([, code = ""]) => code));
    const listed = tableUnder(page, "## Errors").map(([code = ""]) => code.replaceAll("`", ""));
    expect(listed).toEqual([...raised].sort());
  });

  test("shows a session that runs and answers as it says", async () => {
    const statements = blocks(page, "sql").flatMap(statementsOf);
    expect(statements.length).toBeGreaterThan(20);
    for (const { text, promise } of statements) {
      const answer = await db.query(text).then(answersOf, (error: { code: string }) => `! ${error.code}`);
      expect.soft(answer, text).toBe(promise ?? answer.replace(/^!.*/, "no error"));
    }
  });

  /** "select …; -- → a, b" or "select …; -- ! code": a statement, and what comes back. */
  function statementsOf(block: string): { text: string; promise: string | undefined }[] {
    return [...block.matchAll(/(.*?);[ \t]*(?:-- (?:→ )?(.*?))?(?:\n|$)/gs)].map(
      ([, text = "", promise]) => ({
        text,
        promise,
      }),
    );
  }

  function answersOf(rows: Record<string, unknown>[]): string {
    const cell = (value: unknown) =>
      typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
    return rows.map((row) => Object.values(row).map(cell).join(" ")).join(", ");
  }
});
