import { readdirSync } from "node:fs";
import { join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { engineSettings } from "lockstep";
import { expect, test } from "vitest";
import { inTests, mayImport } from "../arrows/rooms.ts";
import { repository } from "../run-command.ts";
import { filesBelow, read, tablesOf, tableUnder } from "./page.ts";

const db = testDatabase();
const architecture = read("docs/architecture.md");
const everyPage = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...filesBelow("docs", ".md").filter((path) => !/^docs\/(decisions|reliability)\//.test(path)),
  ...filesBelow("packages", "README.md"),
];

const namesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

test("docs/architecture.md says what each package may import", () => {
  const code = (names: readonly string[]) =>
    names.length === 0 ? "nothing" : names.map((name) => `\`${name}\``).join(", ");
  const rooms = Object.entries(mayImport).map(([room, names]) => [
    `\`${room}\``,
    code(names).replaceAll("`type ", "the types of `"),
  ]);
  expect(tableUnder(architecture, "## Rooms and arrows")).toEqual([
    ...rooms,
    ["any test", `also ${code(inTests)}`],
    ["`bench`, `examples`, `scripts`, `test`", "everything"],
  ]);
});

test("docs/architecture.md lists every table", async () => {
  const rows = await db.query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = 'lockstep'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const listed = tableUnder(architecture, "## Tables").flatMap(([names = ""]) => namesIn(names));
  expect(listed.sort()).toEqual(rows.map(({ name }) => name).sort());
});

test("docs/architecture.md lists every index of the live jobs", async () => {
  const rows = await db.query<{ name: string }>(
    "select indexname as name from pg_indexes where schemaname = 'lockstep' and tablename = 'jobs'",
  );
  const [, after = ""] = architecture.split("The live table stays small");
  const listed = tablesOf(after.split("\n## ")[0] ?? "").flatMap(([names = ""]) =>
    namesIn(names).slice(0, 1),
  );
  expect(listed.sort()).toEqual(rows.map(({ name }) => name).sort());
});

test("docs/sql-api.md lists every invariant that verify checks, and each number means one thing", () => {
  const numbersOf = (path: string) =>
    new Set([...read(path).matchAll(/'(V\d+)'/g)].map(([, name = ""]) => name));
  const checked = filesBelow("packages/database/functions", ".sql")
    .filter((path) => /\/verify\w*\.sql$/.test(path))
    .flatMap((path) => [...numbersOf(path)]);
  const listed = tableUnder(read("docs/sql-api.md"), "### `verify()`").map(([name = ""]) => name);
  const byNumber = (one: string, other: string) => Number(one.slice(1)) - Number(other.slice(1));
  expect(listed).toEqual(checked.sort(byNumber));
});

test("docs/testing.md lists every folder of tests", () => {
  const folders = readdirSync(join(repository, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `test/${name}`);
  const listed = tableUnder(read("docs/testing.md"), "## Where tests are").flatMap(([cell = ""]) =>
    namesIn(cell),
  );
  expect(folders.filter((folder) => !listed.includes(folder))).toEqual([]);
});

test("docs/seeds.md tells the settings with their default and classic values", () => {
  const number = (value: unknown) =>
    typeof value === "number" ? value.toLocaleString("en-US") : `\`${value}\``;
  const rows = tableUnder(read("docs/seeds.md"), "## The classic numbers in one place").flatMap(
    ([, , name = "", told, classic]) => {
      const setting = engineSettings[name.replaceAll("`", "") as keyof typeof engineSettings] as
        | { default: unknown; classic?: unknown }
        | undefined;
      return setting === undefined ? [] : [{ name, told, classic, setting }];
    },
  );
  expect(rows.length).toBeGreaterThan(6);
  for (const { name, told, classic, setting } of rows) {
    expect([name, told, classic]).toEqual([
      name,
      number(setting.default),
      number(setting.classic ?? setting.default),
    ]);
  }
});

test.each(everyPage)("%s tells settings with their real defaults", (page) => {
  const unitMs: Record<string, number> = { ms: 1, s: 1_000, minutes: 60_000, hour: 3_600_000 };
  const told = [...read(page).matchAll(/`(\w+)` \((\d[\d,]*)(?: (ms|s|minutes|hour))?[,)]/g)].flatMap(
    ([whole, name = "", value = "", unit]) => {
      const setting = engineSettings[name as keyof typeof engineSettings];
      return setting === undefined
        ? []
        : [
            {
              whole,
              value: Number(value.replaceAll(",", "")) * (unitMs[unit ?? "ms"] ?? 1),
              real: setting.default,
            },
          ];
    },
  );
  for (const { whole, value, real } of told) expect(value, whole).toBe(real);
});

test.each(everyPage)("the npm scripts that %s names exist", (page) => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = [...read(page).matchAll(/npm run (?:-s )?([\w:][\w:-]*)/g)].map(([, name = ""]) => name);
  const ofApps = filesBelow("apps", "package.json").flatMap((path) =>
    Object.keys((JSON.parse(read(path)) as { scripts?: object }).scripts ?? {}),
  );
  expect(named.filter((name) => scripts[name] === undefined && !ofApps.includes(name))).toEqual([]);
});

test.each(everyPage)("the error codes that %s names are raised", (page) => {
  const sql = filesBelow("packages/database/functions", ".sql").map(read).join("\n");
  const named = [...read(page).matchAll(/\bLS\d{3}\b/g)].map(([code]) => code);
  expect(named.filter((code) => !sql.includes(`errcode = '${code}'`))).toEqual([]);
});

test("packages/engine/README.md tells the whole range of error codes", () => {
  const sql = filesBelow("packages/database/functions", ".sql").map(read).join("\n");
  const codes = [...sql.matchAll(/errcode = '(LS\d{3})'/g)].map(([, code = ""]) => code).sort();
  expect(read("packages/engine/README.md")).toContain(`\`code\` is ${codes[0]} to ${codes.at(-1)}`);
});
