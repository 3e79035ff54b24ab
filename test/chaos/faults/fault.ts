import type { SeededRandom } from "../../scenarios/requests/seeded-random.ts";
import type { ChaosDatabase } from "../chaos-database.ts";
import type { ChaosProcess } from "../chaos-process.ts";

/** What a fault finds. */
export interface Scene {
  readonly victim: ChaosProcess;
  readonly database: ChaosDatabase;
  readonly random: SeededRandom;
  readonly leaseMs: number;
}

export interface Fault {
  /** On the whole database: one at a time. */
  readonly isGlobal?: boolean;
  /** On the victim's connections: it needs a proxy. */
  readonly isOnNetwork?: boolean;
  /** Only for workers, not for the processes of the API. */
  readonly isForWorkers?: boolean;
  /** The victim lives on and cannot keep its jobs from here on. */
  readonly isLoss?: boolean;
  /** Resolves when it is over and the victim may be hit again. */
  readonly strike: (scene: Scene) => Promise<void>;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
