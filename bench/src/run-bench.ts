import type { BenchOptions } from "./bench-options.ts";
import type { Contender } from "./contender-list.ts";
import { Places } from "./places.ts";
import { type Cell, contendersOf, keyOf, planOf } from "./plan.ts";
import type { ProgramAnswer } from "./program/program.ts";
import type { Report } from "./report.ts";
import { resultRow, type Samples } from "./result-row.ts";

const tooLate: ProgramAnswer = { error: "left out: the time was over" };

/** Measures the chosen parts between the chosen contenders; `say` hears of each run as it ends. */
export async function runBench(options: BenchOptions, say: (line: string) => void): Promise<Report> {
  const places = await Places.open(options);
  const startedAtMs = performance.now();
  try {
    const answers = await runCells(options, places, say);
    const rows = options.parts.map((part) =>
      resultRow(
        part,
        contendersOf(part, options.contenders).map((contender) =>
          samplesOf(contender, part.number, answers.get(keyOf(part, contender, options)) ?? []),
        ),
      ),
    );
    const postgresVersion = await (await places.server(undefined)).version();
    return {
      rows,
      nodeVersion: places.node.version,
      postgresVersion,
      tookMs: performance.now() - startedAtMs,
    };
  } finally {
    await places.close();
  }
}

async function runCells(
  { size, ...options }: BenchOptions,
  places: Places,
  say: (line: string) => void,
): Promise<Map<string, ProgramAnswer[]>> {
  const answers = new Map<string, ProgramAnswer[]>();
  const endAtMs = size.budgetMs === null ? Number.POSITIVE_INFINITY : performance.now() + size.budgetMs;
  for (const cell of planOf({ size, ...options })) {
    const beganAtMs = performance.now();
    const leftMs = endAtMs - beganAtMs;
    const answer = leftMs <= 0 ? tooLate : await runCell(cell, places, Math.min(size.processLimitMs, leftMs));
    if (size.isFresh) await places.contender(cell.contender).close();
    answers.set(cell.key, [...(answers.get(cell.key) ?? []), answer]);
    say(`${lineOf(cell, answer)} (${((performance.now() - beganAtMs) / 1_000).toFixed(1)} s)`);
  }
  return answers;
}

/** On an empty store of its own. */
async function runCell(cell: Cell, places: Places, limitMs: number): Promise<ProgramAnswer> {
  const { contender, order, serverSettings } = cell;
  const process = places.contender(contender);
  const measure = (store: { url: string; serverPid: number | null }) =>
    process.ask({ kind: "measure", run: { ...order, ...store } }, limitMs);
  if (contender.store === "redis") {
    if (places.redis === null) return { error: "no redis-server on this machine" };
    await places.redis.flush();
    return measure({ url: places.redis.url, serverPid: null });
  }
  const server = await places.server(serverSettings);
  try {
    const url = await server.database(contender.name, async (url) => {
      const installed = await process.ask({ kind: "install", url }, limitMs);
      if ("error" in installed) throw new Error(`It could not be installed: ${installed.error}`);
    });
    const answer = await measure({ url, serverPid: server.pid });
    await server.drop(url);
    return answer;
  } catch (error) {
    return { error: String(error) };
  }
}

function samplesOf(contender: Contender, number: string, answers: readonly ProgramAnswer[]): Samples {
  const measured = answers.flatMap((answer) => ("numbers" in answer ? [answer] : []));
  const values = measured.flatMap(({ numbers }) => numbers[number] ?? []);
  const [error = "cannot be measured here"] = answers.flatMap((answer) =>
    "error" in answer ? [answer.error] : [],
  );
  return {
    contender,
    values,
    reason: values.length === 0 ? error : null,
    details: measured.map(({ details }) => details ?? {}),
  };
}

function lineOf({ contender, order, round }: Cell, answer: ProgramAnswer): string {
  const what = "error" in answer ? answer.error.split("\n")[0] : JSON.stringify(answer.numbers);
  return `${order.measurement}, round ${round + 1}, ${contender.name}: ${what}`;
}
