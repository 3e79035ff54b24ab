import { exactNumber } from "../../api/exact-json.ts";

export interface JsonLine {
  readonly depth: number;
  /** Where the value lies; what a fold is kept by. */
  readonly path: string;
  readonly name: string | null;
  readonly kind: "string" | "number" | "literal" | "open" | "close" | "folded";
  readonly text: string;
  readonly isLast: boolean;
}

/** A value as the lines a viewer shows; what is folded is one line. */
export function jsonLines(value: unknown, folded: ReadonlySet<string> = new Set()): JsonLine[] {
  const lines: JsonLine[] = [];
  add(lines, { value, depth: 0, path: "", name: null, isLast: true }, folded);
  return lines;
}

interface Place {
  readonly value: unknown;
  readonly depth: number;
  readonly path: string;
  readonly name: string | null;
  readonly isLast: boolean;
}

function add(lines: JsonLine[], place: Place, folded: ReadonlySet<string>): void {
  const { value, depth, path, name, isLast } = place;
  if (typeof value !== "object" || value === null) {
    lines.push({ depth, path, name, isLast, ...leaf(value) });
    return;
  }
  const isArray = Array.isArray(value);
  const entries: [string, unknown][] = isArray
    ? value.map((item, index) => [String(index), item])
    : Object.entries(value);
  const [open, close] = isArray ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    lines.push({ depth, path, name, isLast, kind: "literal", text: `${open}${close}` });
  } else if (folded.has(path)) {
    lines.push({ depth, path, name, isLast, kind: "folded", text: `${open} ${entries.length} … ${close}` });
  } else {
    lines.push({ depth, path, name, isLast, kind: "open", text: open });
    entries.forEach(([key, item], index) => {
      const child = {
        value: item,
        depth: depth + 1,
        path: `${path}/${key}`,
        name: isArray ? null : key,
        isLast: index === entries.length - 1,
      };
      add(lines, child, folded);
    });
    lines.push({ depth, path: `${path}/`, name: null, isLast, kind: "close", text: close });
  }
}

function leaf(value: unknown): Pick<JsonLine, "kind" | "text"> {
  const exact = exactNumber(value);
  if (exact !== null) return { kind: "number", text: exact };
  if (typeof value === "string") return { kind: "string", text: JSON.stringify(value) };
  return { kind: typeof value === "number" ? "number" : "literal", text: String(value) };
}
