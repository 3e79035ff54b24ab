import { cutToWidth, plainText, widthOf } from "./plain-text.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: "right";
  /** May be cut where the terminal is narrow; the rest stays whole. */
  readonly isElastic?: true;
  /** Colours of a cell that is cut and padded already. */
  readonly paint?: (text: string, row: Row) => string;
}

export interface TableLook {
  /** The columns of the terminal; null: tabs and nothing cut, for programs. */
  readonly width: number | null;
  readonly hasTitles: boolean;
  readonly paintTitle: (text: string) => string;
}

const gap = "  ";
const leastElastic = 8;

/** The lines of a table: aligned and cut for people, separated by tabs for programs. */
export function tableLines<Row>(
  rows: readonly Row[],
  known: readonly Column<Row>[],
  look: TableLook,
): string[] {
  // People do not need columns that are empty in every row; programs count columns.
  const isShown = ({ cell }: Column<Row>) => rows.length === 0 || rows.some((row) => cell(row) !== "");
  const columns = look.width === null ? known : known.filter(isShown);
  const cells = rows.map((row) => columns.map((column) => plainText(column.cell(row))));
  const titles = columns.map(({ title }) => title);
  const { width } = look;
  if (width === null) return [...(look.hasTitles ? [titles] : []), ...cells].map((line) => line.join("\t"));

  const widths = fittingWidths([...(look.hasTitles ? [titles] : []), ...cells], columns, width);
  const lines = rows.map((row, index) =>
    columns
      .map((column, place) => {
        const text = pad(
          cells[index]?.[place] ?? "",
          widths[place] ?? 0,
          column,
          place === columns.length - 1,
        );
        return column.paint?.(text, row) ?? text;
      })
      .join(gap),
  );
  if (!look.hasTitles) return lines;
  const head = columns.map((column, place) =>
    look.paintTitle(pad(column.title, widths[place] ?? 0, column, place === columns.length - 1)),
  );
  return [head.join(gap), ...lines];
}

function fittingWidths(
  lines: readonly (readonly string[])[],
  columns: readonly Column<never>[],
  width: number,
): number[] {
  const widths = columns.map((_, place) => Math.max(0, ...lines.map((line) => widthOf(line[place] ?? ""))));
  let excess = widths.reduce((sum, one) => sum + one, gap.length * (columns.length - 1)) - width;
  while (excess > 0) {
    const widest = columns
      .map((column, place) => ({ place, room: column.isElastic ? (widths[place] ?? 0) - leastElastic : 0 }))
      .sort((one, other) => other.room - one.room)[0];
    if (widest === undefined || widest.room <= 0) break;
    widths[widest.place] = (widths[widest.place] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

function pad(text: string, width: number, { align }: Column<never>, isLast: boolean): string {
  const cut = cutToWidth(text, width);
  const space = " ".repeat(Math.max(0, width - widthOf(cut)));
  if (align === "right") return space + cut;
  return isLast ? cut : cut + space;
}
