import { contenders } from "../contenders/contender-list.ts";
import type { Part } from "../plan/part.ts";
import { parts } from "../plan/parts.ts";
import type { ResultRow } from "./result-row.ts";
import { shown } from "./shown.ts";

const width = 760;
const margin = 16;
const labelWidth = 200;
const barHeight = 16;
const rowHeight = 22;
const panelGap = 22;
const barSpace = width - labelWidth - 130 - margin;

// With a ground of its own, so that it can be read on a light page and on a dark one, whatever the reader prefers.
const style = `
  .ground { fill: #ffffff } text { fill: #1f2937 } .quiet { fill: #64748b } .spread { stroke: #1f2937 }
  .lockstep { fill: #2563eb } .peer { fill: #94a3b8 } .limit { fill: #d6d3d1 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #e5e7eb } .quiet { fill: #94a3b8 } .spread { stroke: #e5e7eb }
    .lockstep { fill: #3b82f6 } .peer { fill: #64748b } .limit { fill: #44403c }
  }`;

const titles: Readonly<Record<Part["group"], string>> = {
  adds: "Adding jobs",
  drains: "Working jobs off",
  latency: "From add to the handler, idle queue",
  start: "From the start of a process to its first job",
  scale: "Long queues, long histories, more workers",
  cost: "What a job costs",
};

/** One plot for each group of parts, a panel of bars for each part. */
export function plots(rows: readonly ResultRow[]): [name: string, svg: string][] {
  const groups = [...new Set(parts.map(({ group }) => group))];
  return groups.flatMap((group): [string, string][] => {
    const panels = rows.filter(
      (row) =>
        parts.some(({ name, group: own }) => name === row.part && own === group) && barsOf(row).length > 0,
    );
    return panels.length === 0 ? [] : [[group, plot(group, panels)]];
  });
}

function plot(group: Part["group"], rows: readonly ResultRow[]): string {
  let top = margin + 40;
  const panels = rows.map((row) => {
    const bars = barsOf(row);
    const svg = panel(row, bars, top);
    top += 14 + bars.length * rowHeight + panelGap;
    return svg;
  });
  const height = top - panelGap + margin;
  const title = titles[group];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="12" role="img" aria-label="${title}">`,
    `<style>${style}\n</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="6"/>`,
    `<text x="${margin}" y="${margin + 12}" font-size="16" font-weight="600">${title}</text>`,
    ...panels,
    "</svg>\n",
  ].join("\n");
}

interface Bar {
  /** As in the files of results. */
  readonly key: string;
  readonly label: string;
  readonly value: number;
  readonly role: "lockstep" | "peer" | "limit";
}

function barsOf({ lockstep, peers, limit }: ResultRow): Bar[] {
  const ours = contenders.find(({ role }) => role === "lockstep")?.name ?? "";
  const theirs = contenders.find(({ role }) => role === "limit")?.name ?? "";
  const all: (Omit<Bar, "value"> & { value: number | null })[] = [
    { key: ours, label: "Lockstep", value: lockstep, role: "lockstep" },
    ...contenders
      .filter(({ role }) => role === "peer")
      .map(({ name }) => ({ key: name, label: name, value: peers[name] ?? null, role: "peer" as const })),
    { key: theirs, label: "plain SQL (the limit)", value: limit, role: "limit" },
  ];
  return all.filter((bar): bar is Bar => bar.value !== null);
}

function panel(row: ResultRow, bars: readonly Bar[], top: number): string {
  const spreads = bars.map(
    ({ key, role }) => row.spread[key] ?? (role === "lockstep" ? row.spread[`${key} default`] : undefined),
  );
  const greatest = Math.max(
    ...bars.map(({ value }) => value),
    ...spreads.map((pair) => pair?.[1] ?? 0),
    Number.MIN_VALUE,
  );
  const lengthOf = (value: number) => Math.max(1, (value / greatest) * barSpace);
  const direction = row.better === "higher" ? "more is better" : "less is better";
  const lines = bars.map(({ label, value, role }, index) => {
    const y = top + 14 + index * rowHeight;
    const [least, most] = spreads[index] ?? [value, value];
    const weight = role === "lockstep" ? ' font-weight="600"' : "";
    const end = labelWidth + lengthOf(Math.max(value, most));
    const middle = y + barHeight / 2;
    return [
      `<text x="${labelWidth - 8}" y="${y + 12}" text-anchor="end"${weight}>${escaped(label)}</text>`,
      `<rect class="${role}" x="${labelWidth}" y="${y}" width="${lengthOf(value).toFixed(1)}" height="${barHeight}" rx="2"/>`,
      least < most
        ? `<path class="spread" d="M${(labelWidth + lengthOf(least)).toFixed(1)} ${middle}H${end.toFixed(1)}" stroke-width="1.5"/>`
        : "",
      `<text x="${(end + 6).toFixed(1)}" y="${y + 12}"${weight}>${shown(value)}</text>`,
    ].join("");
  });
  const ratio =
    row.ratioToBestPeer === null ? "" : `; ${shown(row.ratioToBestPeer)} × as good as the best peer`;
  const about = escaped(`${row.unit}, ${direction}${ratio}`);
  const title = `<text x="${margin}" y="${top + 2}" font-weight="600">${escaped(row.part)} <tspan class="quiet" font-weight="400" dx="6">${about}</tspan></text>`;
  return [title, ...lines].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
