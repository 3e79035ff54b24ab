import type { SeededRandom } from "../scenarios/requests/seeded-random.ts";
import type { ChaosDatabase } from "./chaos-database.ts";
import type { ChaosProcess } from "./chaos-process.ts";
import { faultNamed } from "./faults/all-faults.ts";
import { pause } from "./faults/fault.ts";
import type { Loss, Outage } from "./recovery.ts";

export interface FaultDealerParts {
  readonly kinds: readonly string[];
  readonly workers: readonly ChaosProcess[];
  readonly apis: readonly ChaosProcess[];
  readonly database: ChaosDatabase;
  readonly random: SeededRandom;
  readonly leaseMs: number;
}

/** Deals out faults as fast as the processes recover from them: a third of them is always left in peace. */
export class FaultDealer {
  readonly #parts: FaultDealerParts;
  readonly #underWay = new Set<Promise<void>>();
  #isGlobalUnderWay = false;
  /** How many of each kind. */
  readonly counts: Record<string, number> = {};
  readonly losses: Loss[] = [];
  readonly outages: Outage[] = [];
  /** Of faults that could not be dealt out or did not end: one sentence each. */
  readonly failures: string[] = [];

  constructor(parts: FaultDealerParts) {
    this.#parts = parts;
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Deals until there were enough for long enough; resolves when the last one is over. */
  async deal({ seconds, faults }: { seconds: number; faults: number }): Promise<void> {
    const endMs = performance.now() + seconds * 1_000;
    while (performance.now() < endMs || this.total < faults) {
      this.#next();
      await pause(20 + this.#parts.random.number() * 0.3 * this.#parts.leaseMs);
    }
    await Promise.all(this.#underWay);
  }

  /** Leaves one worker cut off one way, and counts it as lost from here on. */
  cutOffOne(): void {
    const { workers, random } = this.#parts;
    const victim = random.pick(workers);
    victim.proxy?.hold(random.pick(["to server", "to client"] as const));
    this.losses.push({ pid: victim.pid, atMs: Date.now(), untilMs: Number.POSITIVE_INFINITY });
    this.counts["cut off one way for good"] = 1;
  }

  #next(): void {
    const { kinds, workers, apis, random, leaseMs, database } = this.#parts;
    const kind = random.pick(kinds);
    const fault = faultNamed(kind);
    if (fault.isGlobal && this.#isGlobalUnderWay) return;
    const isForApi = !fault.isForWorkers && apis.length > 0 && random.chance(0.15);
    const group = isForApi ? apis : workers;
    const free = group.filter(({ isTroubled, isReady }) => !isTroubled && isReady);
    // Some are left to take over, and to find out who is lost.
    if (free.length <= group.length / 3) return;
    const victim = random.pick(free);
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    if (fault.isGlobal) this.#isGlobalUnderWay = true;
    else victim.isTroubled = true;
    const fromMs = Date.now();
    const { pid } = victim;
    const striking = fault
      .strike({ victim, database, random, leaseMs })
      .catch((error: unknown) => void this.failures.push(`The fault ${kind} broke off. ${error}`))
      .finally(() => {
        if (fault.isLoss) this.losses.push({ pid, atMs: fromMs, untilMs: Date.now() });
        if (fault.isGlobal) {
          this.#isGlobalUnderWay = false;
          this.outages.push({ fromMs, untilMs: Date.now() });
        } else victim.isTroubled = false;
        this.#underWay.delete(striking);
      });
    this.#underWay.add(striking);
  }
}
