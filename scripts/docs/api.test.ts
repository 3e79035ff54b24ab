import { expect, test } from "vitest";
import { read } from "./page.ts";

const page = read("docs/api.md");

/** The names that a file exports; types are gone at run time, so they are read from its text. */
function exportsOf(path: string): { values: string[]; types: string[] } {
  const [values, types]: [string[], string[]] = [[], []];
  for (const [, isType, list = ""] of read(path).matchAll(/^export\s+(type\s+)?\{([^}]*)\}/gm)) {
    for (const entry of list.split(",").map((part) => part.trim())) {
      const [, marked, name] = /^(type\s+)?(\w+)$/.exec(entry) ?? [];
      if (name !== undefined) (isType || marked ? types : values).push(name);
    }
  }
  return { values: values.sort(), types: types.sort() };
}

/** The names in the first column of a section's table, or in its text where it has none. */
function namesUnder(heading: string, inColumn: number | null): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const body = section.slice(heading.length);
  const rows = body.split("\n").filter((line) => line.startsWith("| ") && !/^\| -/.test(line));
  const text = inColumn === null ? body : rows.map((row) => row.split("|")[inColumn]).join("\n");
  return [...text.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).sort();
}

test("docs/api.md lists exactly the values and the errors that lockstep exports", async () => {
  const listed = [...namesUnder("Functions and values", 1), ...namesUnder("Errors", 1)].sort();
  expect(listed).toEqual(exportsOf("packages/engine/src/index.ts").values);
  expect(listed).toEqual(Object.keys(await import("lockstep")).sort());
});

test("docs/api.md lists exactly the types that lockstep exports", () => {
  expect(namesUnder("Types", 2)).toEqual(exportsOf("packages/engine/src/index.ts").types);
});

test("docs/api.md lists exactly what lockstep/internal exports", async () => {
  const { values, types } = exportsOf("packages/engine/src/internal.ts");
  expect(namesUnder("`lockstep/internal`", null)).toEqual([...values, ...types].sort());
  expect(values).toEqual(Object.keys(await import("lockstep/internal")).sort());
});
