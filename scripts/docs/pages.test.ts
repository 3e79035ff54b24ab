import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { definePipeline, engineSettings } from "lockstep";
import { describe, expect, test } from "vitest";
import { repository } from "../run-command.ts";
import { blocks, filesBelow, read, tablesOf, tableUnder } from "./page.ts";
import { anchorOf } from "./site/anchor.ts";

const db = testDatabase();

/** By the name of the file, that of a function or of a test beside one: its path. */
const functionFiles = new Map(
  filesBelow("packages/database/functions", "").map((path) => [basename(path), path]),
);

const pages = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...filesBelow("docs", ".md"),
  ...["database", "engine", "local-postgres", "testing", "cli", "server"].map(
    (name) => `packages/${name}/README.md`,
  ),
  "apps/website-analysis/README.md",
  "apps/daily-brief/README.md",
];

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

test.each<[string, ...string[]]>([
  ["docs/thinking-in-stages.md", "examples/jobs/three-stages.ts"],
  ["docs/tasks.md", "examples/jobs/one-step.ts"],
  ["docs/retries.md", "examples/jobs/retries.ts"],
  ["docs/cancelling.md", "examples/jobs/cancelling.ts"],
  ["docs/moving-from/pg-boss.md", "examples/moving-from/pg-boss.ts"],
  ["docs/moving-from/graphile-worker.md", "examples/moving-from/graphile-worker.ts"],
  ["docs/moving-from/bullmq.md", "examples/moving-from/bullmq.ts"],
  ["docs/moving-from/plain-tables.md", "examples/moving-from/plain-tables.ts"],
  ["docs/adding.md", "examples/jobs/adding.ts"],
  ["docs/limits.md", "examples/jobs/limits.ts"],
  ["docs/budgets.md", "examples/jobs/budgets.ts"],
  ["docs/batches.md", "examples/jobs/batches.ts"],
  ["docs/batch-handlers.md", "examples/jobs/batch-handlers.ts"],
  ["docs/operating.md", "examples/production/operating.ts"],
  ["docs/deploying.md", "examples/database/two-installations.ts", "examples/production/deploy-gate.ts"],
  ["docs/testing-pipelines.md", "examples/jobs/testing-a-pipeline.ts"],
])("%s shows %s as it is", (page, ...examples) => {
  expect(blocks(read(page), "ts")).toEqual(examples.map(read));
});

test("docs/getting-started.md shows the files of examples/getting-started as they are", () => {
  const files = ["pipelines.ts", "worker.ts", "add.ts"].map((name) =>
    read(`examples/getting-started/${name}`),
  );
  expect(blocks(read("docs/getting-started.md"), "ts")).toEqual(files);
});

test("docs/schedules.md shows examples/jobs/schedule.ts as it is", () => {
  expect(blocks(read("docs/schedules.md"), "ts")).toEqual([read("examples/jobs/schedule.ts")]);
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

test.each(pages)("the headings that %s links to exist", (page) => {
  const text = read(page).replace(/^```.*?^```$/gms, "");
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].map(
    ([, target = "", anchor = ""]) => ({
      path: target === "" ? page : join(dirname(page), target),
      anchor,
    }),
  );
  const missing = links.filter(
    ({ path, anchor }) => path.endsWith(".md") && !anchorsOf(path).includes(anchor),
  );
  expect(missing).toEqual([]);
});

test("docs/README.md lists every page", () => {
  const listed = tablesOf(read("docs/README.md")).map(([link = ""]) => /\((.*)\)/.exec(link)?.[1]);
  const own = filesBelow("docs", ".md")
    .map((path) => path.slice("docs/".length))
    // These have indexes of their own.
    .filter((path) => path !== "README.md" && !/^(decisions|reliability|reference)\/(?!README)/.test(path));
  expect(listed.sort()).toEqual(own.sort());
});

/** The anchors of a page's headings. */
function anchorsOf(path: string): string[] {
  return [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

/** Where a file that a page names in short must lie; nothing for what is no file. */
function placeOf(name: string): string[] {
  if (/^(packages|scripts|examples|docs|test)\//.test(name)) return [name];
  if (/^(client|worker|stepping|waiting|store|jobs|events)\/.+\.(ts|js)$/.test(name))
    return [`packages/engine/src/${name}`];
  if (/^[a-z]\w+(\.\w+)*\.(sql|test\.ts)$/.test(name)) {
    return [functionFiles.get(name) ?? `packages/database/functions/${name}`];
  }
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
    if (stage === undefined || !("options" in stage)) throw new Error("The stage has no options.");
    const { retry, limits: _limits, spends: _spends, ...options } = stage.options;
    const rowsOf = (values: object) =>
      Object.entries(values).map(([name, value]) => [`\`${name}\``, unitOf(name), shown(name, value)]);
    const listed = (heading: string) => tableUnder(page, heading).map((row) => row.slice(0, 3));
    expect(listed("## Options of a stage")).toEqual([...rowsOf(options), ["`retry`", "", "see below"]]);
    expect(listed("## Retry policy of a stage")).toEqual(rowsOf(retry));
  });

  function unitOf(name: string): string {
    return name.endsWith("Ms") ? "ms" : name.endsWith("Days") ? "days" : "";
  }

  function shown(name: string, value: unknown): string {
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

  test("describes what stands in functions/api, and nothing else is granted", () => {
    const inApi = [...functionFiles.values()].filter((path) =>
      /^packages\/database\/functions\/api\/.+\.sql$/.test(path),
    );
    const described = [...page.matchAll(/^### `(\w+)\(/gm)].map(([, name = ""]) => name);
    expect(inApi.map((path) => basename(path, ".sql")).sort()).toEqual(functions);
    expect(described.sort()).toEqual(functions);
  });

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
    const sql = filesBelow("packages/database/functions", ".sql").map(read).join("\n");
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
