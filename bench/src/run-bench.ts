import type { Contender } from "./contenders/contender-list.ts";
import { Places } from "./machine/places.ts";
import type { Order } from "./measurements/measurements.ts";
import type { BenchOptions } from "./plan/bench-options.ts";
import { ExtraRounds } from "./plan/extra-rounds.ts";
import { paceOf } from "./plan/pace.ts";
import { Pacer } from "./plan/pacer.ts";
import { type Cell, contendersOf, keyOf, planOf } from "./plan/plan.ts";
import type { ProgramAnswer } from "./program/program.ts";
import type { Report } from "./results/report.ts";
import { resultRow, type Samples } from "./results/result-row.ts";

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
  const cells = planOf({ size, ...options });
  const extras = new ExtraRounds(cells);
  const isLimited = size.budgetMs !== null;
  const pace = isLimited ? await paceOf((await places.server(undefined)).url) : 1;
  const pacer = new Pacer({ size, pace, endAtMs: size.paceBudgetMs, cells });
  for (const cell of cells) {
    // Since the start of the process, so that whatever came before is in it.
    const beganAtMs = performance.now();
    if (cell.extra !== null && !extras.isInTime(cell.extra, size.keyBudgetMs - beganAtMs)) continue;
    const leftMs = (size.budgetMs ?? Number.POSITIVE_INFINITY) - beganAtMs;
    const order = cell.part.order(isLimited ? pacer.sizeFor(cell, beganAtMs) : size, cell.contender);
    const limitMs = Math.min(size.processLimitMs, leftMs);
    const answer = leftMs <= 0 ? tooLate : await runCell({ ...cell, order }, places, limitMs);
    if (size.isFresh) await places.contender(cell.contender).close();
    answers.set(cell.key, [...(answers.get(cell.key) ?? []), answer]);
    const tookMs = performance.now() - beganAtMs;
    extras.learn(cell, tookMs);
    pacer.learn(cell, tookMs);
    say(`${lineOf(cell, answer)} (${(tookMs / 1_000).toFixed(1)} s)`);
  }
  return answers;
}

/** On an empty store of its own. */
async function runCell(
  cell: Cell & { order: Order },
  places: Places,
  limitMs: number,
): Promise<ProgramAnswer> {
  const { contender, order, serverSettings } = cell;
  const { isTuned } = contender;
  if (order.measurement === "cold-start") await places.published(contender);
  const process = places.contender(contender);
  const measure = (store: { url: string; serverPid: number | null }) =>
    process.ask({ kind: "measure", run: { ...order, ...store, isTuned } }, limitMs);
  if (contender.store === "redis") {
    if (places.redis === null) return { error: "no redis-server on this machine" };
    await places.redis.flush();
    return measure({ url: places.redis.url, serverPid: null });
  }
  const server = await places.server(serverSettings);
  try {
    const url = await server.database(contender, async (url) => {
      const installed = await process.ask({ kind: "install", url, isTuned }, limitMs);
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
    notes: [...new Set(measured.flatMap(({ note }) => note ?? []))],
    details: measured.map(({ details }) => details ?? {}),
  };
}

function lineOf({ contender, part, round }: Cell, answer: ProgramAnswer): string {
  const what = "error" in answer ? answer.error.split("\n")[0] : JSON.stringify(answer.numbers);
  return `${part.name}, round ${round + 1}, ${contender.name}: ${what}`;
}
