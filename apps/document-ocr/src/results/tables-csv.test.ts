import { expect, test } from "vitest";
import { tablesCsv } from "./tables-csv.ts";

function tableOf(...rows: readonly (readonly string[])[]) {
  const cell = (text: string) => ({ text, confidence: 100, box: null });
  return { box: { x: 0, y: 0, width: 1, height: 1 }, rows: rows.map((row) => row.map(cell)) };
}

test("tables come one after the other, and commas and quotation marks stay in their cells", () => {
  const csv = tablesCsv([
    { tables: [tableOf(["Item", "Price"], ['Shelf, "oak"', "1,250.00"])] },
    { tables: [] },
    { tables: [tableOf(["a", ""], ["", "b"])] },
  ]);
  expect(csv).toBe('Item,Price\r\n"Shelf, ""oak""","1,250.00"\r\n\r\na,\r\n,b\r\n');
});

test("a document without tables has no CSV", () => {
  expect(tablesCsv([{ tables: [] }])).toBeNull();
});

test("no cell is a formula to the program that opens it, and a number with a sign stays one", () => {
  const csv = tablesCsv([{ tables: [tableOf(["=1+1", "@sum", "-cmd", "+cmd", "-5.00", "+3"])] }]);
  expect(csv).toBe("'=1+1,'@sum,'-cmd,'+cmd,-5.00,+3\r\n");
  const behindNumbers = ["-2+3+cmd|' /C calc'!D2", "+1+A1", "-1.250 €", "-12 %", "+49 30 1234"];
  expect(tablesCsv([{ tables: [tableOf(behindNumbers)] }])).toBe(
    "'-2+3+cmd|' /C calc'!D2,'+1+A1,-1.250 €,-12 %,+49 30 1234\r\n",
  );
});
