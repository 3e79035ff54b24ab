import assert from "node:assert/strict";
import fc from "fast-check";
import type pg from "pg";
import { Clients } from "./clients.ts";
import { expectSameState } from "./move.ts";
import { moves, open } from "./moves.ts";
import { RealQueue } from "./real-queue.ts";

export interface ModelRun {
  readonly seed: number;
  readonly runs: number;
  /** Of a failure that was found before: only that one is run. */
  readonly path?: string | undefined;
  readonly replayPath?: string | undefined;
  /** Whether a failure is enough as it is; else it is made as short as it can be. */
  readonly isLeftLong?: boolean;
}

export interface ModelReport {
  readonly seed: number;
  readonly runs: number;
  /** Null: no divergence. Else what diverged after which moves, and how to see it again. */
  readonly failure: { readonly text: string; readonly replay: string } | null;
}

/** Random moves on the model and on PostgreSQL, until they differ. */
export async function runModel(
  client: pg.ClientBase,
  { seed, runs, path, replayPath, isLeftLong = false }: ModelRun,
): Promise<ModelReport> {
  const queue = new RealQueue(client);
  await queue.prepare();
  // "max": with smaller runs no broken fence was ever found.
  const commands = fc.commands(moves, {
    maxCommands: 60,
    size: "max",
    ...(replayPath ? { replayPath } : {}),
  });
  const property = fc.asyncProperty(commands, async (list) => {
    await queue.reset();
    const clients = new Clients();
    await open(clients, queue);
    await fc.asyncModelRun(() => ({ model: clients, real: queue }), list);
    await expectSameState(clients, queue);
    assert.deepEqual(await queue.violations(), [], "the invariants");
  });
  const details = await fc.check(property, {
    seed,
    numRuns: runs,
    endOnFailure: isLeftLong,
    ...(path ? { path } : {}),
  });
  if (!details.failed) return { seed, runs: details.numRuns, failure: null };
  const text = fc.defaultReportMessage(details) ?? "";
  const found = /replayPath="([^"]*)"/.exec(text)?.[1] ?? "";
  const replay = `npm run test:model -- --seed ${seed} --path "${details.counterexamplePath}" --replay "${found}"`;
  return { seed, runs: details.numRuns, failure: { text, replay } };
}
