import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { peerVersions } from "../machine/peers.ts";
import type { BenchOptions } from "../plan/bench-options.ts";
import { withEarlierRows } from "./earlier-rows.ts";
import { plots } from "./plots.ts";
import type { ResultRow } from "./result-row.ts";
import { shown } from "./shown.ts";

export interface Report {
  readonly rows: readonly ResultRow[];
  readonly nodeVersion: string;
  readonly postgresVersion: string;
  readonly tookMs: number;
}

/** The table of ratios that ends a run. */
export function tableOf(rows: readonly ResultRow[]): string {
  const header = ["part", "unit", "lockstep", "best peer", "", "ratio", "plain SQL", "ratio"];
  const lines = rows.map((row) => [
    row.part,
    row.unit,
    shown(row.lockstep) + spreadOf(row),
    row.bestPeer === null ? "–" : shown(row.peers[row.bestPeer] ?? null),
    row.bestPeer ?? "",
    shown(row.ratioToBestPeer),
    shown(row.limit),
    shown(row.ratioToLimit),
  ]);
  const widths = header.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const isText = (column: number) => column < 2 || column === 4;
  const format = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  const note = "Medians (least–greatest). A ratio above 1 is in Lockstep's favour, whichever way is better.";
  return [format(header), ...lines.map(format), "", note, ...notesIn(rows), ...reasonsIn(rows)].join("\n");
}

/** Writes the rows, what they were measured with, and the plots. Parts that this run left out keep their rows. */
export async function writeReport(
  folder: string,
  { size, contenders }: BenchOptions,
  report: Report,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { nodeVersion, postgresVersion } = report;
  const file = join(folder, `${size.name}.json`);
  const aboutFile = join(folder, `${size.name}-about.json`);
  const earlier = async (path: string, none: string) =>
    JSON.parse(await readFile(path, "utf8").catch(() => none));
  const measuredOn = new Date().toISOString().slice(0, 10);
  const rows = withEarlierRows(
    report.rows.map((row) => ({ ...row, measuredOn })),
    await earlier(file, "[]"),
  );
  const about = {
    node: nodeVersion,
    postgres: postgresVersion,
    cpu: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    peers: peerVersions,
    configurations: {
      ...(await earlier(aboutFile, "{}")).configurations,
      ...Object.fromEntries(contenders.map(({ name, notes }) => [name, notes])),
    },
  };
  await writeFile(file, `${JSON.stringify(rows, null, 2)}\n`);
  await writeFile(aboutFile, `${JSON.stringify(about, null, 2)}\n`);
  for (const [name, svg] of plots(rows)) await writeFile(join(folder, `${size.name}-${name}.svg`), svg);
}

function spreadOf({ spread }: ResultRow): string {
  const [least, greatest] = spread.lockstep ?? spread["lockstep default"] ?? [0, 0];
  return least === greatest ? "" : ` (${shown(least)}–${shown(greatest)})`;
}

function notesIn(rows: readonly ResultRow[]): string[] {
  return rows.flatMap(({ part, notes }) =>
    Object.entries(notes).map(([name, note]) => `${part}, ${name}: ${note}.`),
  );
}

function reasonsIn(rows: readonly ResultRow[]): string[] {
  const partsOf = new Map<string, string[]>();
  for (const { part, reasons } of rows) {
    for (const [name, reason] of Object.entries(reasons)) {
      const line = `${name}: ${reason.split("\n")[0]}`;
      partsOf.set(line, [...(partsOf.get(line) ?? []), part]);
    }
  }
  const lines = [...partsOf].map(([line, parts]) => `${line} (${parts.join(", ")})`);
  return lines.length === 0 ? [] : ["", "Without a value:", ...lines];
}
