import { expect, test } from "vitest";
import { type Column, tableLines } from "./table.ts";

const columns: Column<{ name: string; jobs: number }>[] = [
  { title: "NAME", cell: ({ name }) => name, isElastic: true },
  { title: "JOBS", cell: ({ jobs }) => String(jobs), align: "right" },
];
const rows = [
  { name: "a pipeline with a long name", jobs: 7 },
  { name: "日本", jobs: 1_200 },
];
const plain = (text: string) => text;

test("for people the columns are aligned, by what a terminal shows and not by letters", () => {
  expect(tableLines(rows, columns, { width: 80, hasTitles: true, paintTitle: plain })).toEqual([
    "NAME                         JOBS",
    "a pipeline with a long name     7",
    "日本                         1200",
  ]);
});

test("on a narrow terminal what may be cut is cut, and says so", () => {
  const lines = tableLines(rows, columns, { width: 20, hasTitles: false, paintTitle: plain });
  expect(lines).toEqual(["a pipeline wi…     7", "日本            1200"]);
});

test("for programs there are tabs, and nothing is cut", () => {
  expect(tableLines(rows, columns, { width: null, hasTitles: true, paintTitle: plain })).toEqual([
    "NAME\tJOBS",
    "a pipeline with a long name\t7",
    "日本\t1200",
  ]);
});

test("what stands in a cell cannot steer the terminal or break its line", () => {
  const evil = [{ name: "\u001b[31mred\nnext\tcell\u202e", jobs: 1 }];
  const lines = tableLines(evil, columns, { width: null, hasTitles: false, paintTitle: plain });
  expect(lines).toEqual(["\ufffd[31mred next cell\ufffd\t1"]);
});

test("a column that is empty all the way down is left out for people, and kept for programs", () => {
  const some = [...columns, { title: "NOTE", cell: () => "" }];
  const look = { hasTitles: true, paintTitle: plain };
  expect(tableLines(rows, some, { ...look, width: 80 })[0]).toBe("NAME                         JOBS");
  expect(tableLines(rows, some, { ...look, width: null })[0]).toBe("NAME\tJOBS\tNOTE");
});
