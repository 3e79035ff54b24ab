import { expect, test } from "vitest";
import { arrange, withLateWords } from "./arrange.ts";

/** Cells at x in a row at y; the words of a cell are 3 apart, their letters 5 wide. */
function row(y: number, ...cells: readonly (readonly [x: number, text: string])[]) {
  return cells.flatMap(([x, text]) => {
    let left = x;
    return text.split(" ").map((word) => {
      const box = { x: left, y, width: word.length * 5, height: 10 };
      left += box.width + 3;
      return { word, box };
    });
  });
}

const cellsOf = (tables: ReturnType<typeof arrange<{ word: string; box: never }>>["tables"]) =>
  tables.map((table) => table.map((cells) => cells.map((cell) => cell.map(({ word }) => word).join(" "))));
const textOf = (lines: readonly (readonly { word: string }[])[]) =>
  lines.map((line) => line.map(({ word }) => word).join(" "));

const head = row(100, [50, "Item"], [200, "Count"], [300, "Price"]);
const first = row(120, [50, "Shelf made of oak"], [215, "2"], [300, "10.00"]);
const second = row(140, [50, "Hinge"], [210, "14"], [305, "3.50"]);
const total = row(160, [50, "Total"], [300, "69.00"]);

test("rows with the same gaps are a table, whatever is missing in one of them", () => {
  const above = row(60, [50, "Please pay within fourteen days to this account"]);
  const { tables, lines } = arrange([above, head, first, second, total]);
  expect(cellsOf(tables as never)).toEqual([
    [
      ["Item", "Count", "Price"],
      ["Shelf made of oak", "2", "10.00"],
      ["Hinge", "14", "3.50"],
      ["Total", "", "69.00"],
    ],
  ]);
  expect(textOf(lines)[1]).toBe("Item Count Price");
});

test("a table that was read column by column is given row by row, where it stands", () => {
  const rows = [head, first, second];
  const columns = [(x: number) => x < 200, (x: number) => x >= 200].map((isIn) =>
    rows.flat().filter(({ box }) => isIn(box.x)),
  );
  const { lines } = arrange([row(60, [50, "Invoice"]), ...columns, row(300, [50, "Thank you"])]);
  expect(textOf(lines)).toEqual([
    "Invoice",
    "Item Count Price",
    "Shelf made of oak 2 10.00",
    "Hinge 14 3.50",
    "Thank you",
  ]);
});

test("running text and the head of a letter are no tables", () => {
  const text = [
    "The ferry leaves at seven and closes",
    "when the last one of them has left",
    "us here today",
  ];
  expect(arrange(text.map((line, at) => row(100 + at * 14, [50, line]))).tables).toEqual([]);
  const letterhead = [
    row(50, [50, "Ada Alder"], [300, "14 March"]),
    row(64, [50, "Mill Lane"], [300, "London"]),
  ];
  expect(arrange(letterhead).tables).toEqual([]);
});

test("words that were found later go into the line they are level with, or between two", () => {
  const given = [row(100, [50, "Shelf"], [300, "10.00"]), row(140, [50, "Hinge"])];
  const late = [row(101, [215, "2"]), row(120, [50, "Between"])];
  expect(textOf(withLateWords(given, late))).toEqual(["Shelf 2 10.00", "Between", "Hinge"]);
});
