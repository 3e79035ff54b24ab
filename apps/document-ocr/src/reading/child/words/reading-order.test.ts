import { expect, test } from "vitest";
import { columnsOfLines, linesOf } from "./reading-order.ts";

/** Words of three letters: 15 wide and 10 high, 20 apart, on lines 14 apart. */
function words(rows: readonly (readonly [x: number, text: string])[]) {
  return rows.flatMap(([x, text], at) =>
    text
      .split(" ")
      .map((word, index) => ({ word, box: { x: x + index * 20, y: 100 + at * 14, width: 15, height: 10 } })),
  );
}

function beside(left: readonly string[], right: readonly string[]) {
  return left.flatMap((text, at) => {
    const y = 130 + at * 14;
    const place = (x: number) => (word: string, index: number) => ({
      word,
      box: { x: x + index * 20, y, width: 15, height: 10 },
    });
    return [...text.split(" ").map(place(50)), ...(right[at] ?? "").split(" ").map(place(200))];
  });
}

const text = (lines: readonly (readonly { word: string }[])[] | null) =>
  lines?.map((line) => line.map(({ word }) => word).join(" ")) ?? null;

const [left, right] = [
  ["aa1 aa2 aa3", "aa4 aa5 aa6", "aa7 aa8 aa9"],
  ["bb1 bb2 bb3", "bb4 bb5 bb6", "bb7 bb8 bb9"],
];

test("columns are read one after the other, below the heading that spans them and above what follows", () => {
  const heading = { word: "heading", box: { x: 50, y: 100, width: 300, height: 10 } };
  const footer = { word: "footer", box: { x: 50, y: 190, width: 300, height: 10 } };
  expect(text(columnsOfLines([footer, ...beside(left, right), heading]))).toEqual([
    "heading",
    ...left,
    ...right,
    "footer",
  ]);
});

test("a page of one column has no columns, and its lines go from top to bottom", () => {
  const page = words([
    [50, "one two six"],
    [70, "ten and"],
    [50, "all the end"],
  ]);
  expect(columnsOfLines(page)).toBeNull();
  expect(text(linesOf([...page].reverse()))).toEqual(["one two six", "ten and", "all the end"]);
});

test("two lines side by side are read across", () => {
  expect(columnsOfLines(beside(left.slice(0, 2), right.slice(0, 2)))).toBeNull();
});

test("a table is read across", () => {
  expect(columnsOfLines(beside(["ink", "nib", "pen", "all"], ["120", "340", "560", "999"]))).toBeNull();
});

test("blanks of a typewriter that happen to stand below each other are no gutter", () => {
  // Words 15 wide and 10 high with blanks of 12, the third of 13: each is wider than a letter is high.
  const typed = ["aa1 aa2 aa3 aa4 aa5 aa6", "bb1 bb2 bb3 bb4 bb5 bb6", "cc1 cc2 cc3 cc4 cc5 cc6"].flatMap(
    (line, at) =>
      line.split(" ").map((word, index) => ({
        word,
        box: { x: 50 + index * 27 + (index > 2 ? 1 : 0), y: 100 + at * 14, width: 15, height: 10 },
      })),
  );
  expect(columnsOfLines(typed)).toBeNull();
});
