import { contenders } from "./contender-list.ts";
import type { Part } from "./part.ts";
import { parts } from "./parts.ts";
import type { ResultRow } from "./result-row.ts";
import { shown } from "./shown.ts";

const width = 760;
const labelWidth = 190;
const barHeight = 18;
const rowHeight = 24;
const barSpace = width - labelWidth - 110;
const colours = { lockstep: "#2563eb", peer: "#94a3b8", limit: "#d4d4d8" } as const;

/** One plot for each group of parts, a panel of bars for each part. */
export function plots(rows: readonly ResultRow[]): [name: string, svg: string][] {
  const groups = [...new Set(parts.map(({ group }) => group))];
  return groups.flatMap((group): [string, string][] => {
    const panels = rows.filter(({ part }) => parts.some((one) => one.name === part && one.group === group));
    return panels.length === 0 ? [] : [[group, plot(group, panels)]];
  });
}

function plot(group: Part["group"], rows: readonly ResultRow[]): string {
  let top = 16;
  const panels = rows.map((row) => {
    const bars = barsOf(row);
    const svg = panel(row, bars, top);
    top += 34 + bars.length * rowHeight;
    return svg;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${group}">`,
    `<rect width="${width}" height="${top}" fill="#ffffff"/>`,
    ...panels,
    "</svg>\n",
  ].join("\n");
}

interface Bar {
  readonly name: string;
  readonly value: number;
  readonly role: keyof typeof colours;
}

function barsOf({ lockstep, peers, limit }: ResultRow): Bar[] {
  const all: { name: string; value: number | null; role: Bar["role"] }[] = [
    { name: "Lockstep", value: lockstep, role: "lockstep" },
    ...Object.entries(peers).map(([name, value]) => ({ name, value, role: "peer" as const })),
    { name: "plain SQL (limit)", value: limit, role: "limit" },
  ];
  const places = new Map(contenders.map(({ name }, place) => [name, place]));
  return all
    .filter((bar): bar is Bar => bar.value !== null)
    .sort((a, b) =>
      a.role === "peer" && b.role === "peer" ? (places.get(a.name) ?? 0) - (places.get(b.name) ?? 0) : 0,
    );
}

function panel(row: ResultRow, bars: readonly Bar[], top: number): string {
  const greatest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const direction = row.better === "higher" ? "longer is better" : "shorter is better";
  const lines = bars.map(({ name, value, role }, index) => {
    const y = top + 14 + index * rowHeight;
    const length = Math.max(1, (value / greatest) * barSpace);
    const weight = role === "lockstep" ? ' font-weight="600"' : "";
    return [
      `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end"${weight}>${escaped(name)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" fill="${colours[role]}"/>`,
      `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 13}"${weight}>${shown(value)}</text>`,
    ].join("");
  });
  const title = `<text x="8" y="${top + 4}" font-weight="600">${escaped(row.part)} <tspan font-weight="400" fill="#64748b">${escaped(row.unit)}, ${direction}</tspan></text>`;
  return [title, ...lines].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
