import type { Clock } from "../clock.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { SharedParts } from "./shared-parts.ts";

/** One who uses it, and is told of its outages. */
export type UpkeepUser = Pick<DatabaseOptions, "onDown" | "onUp">;

type UpkeepPlace = Pick<DatabaseOptions, "url" | "transactionPooler">;

// One is enough, unless a long deletion has it when a schedule's tick comes.
const connections = 2;

const shared = new SharedParts<UpkeepDatabase>();

/**
 * For what the workers of a process do beside their jobs: upkeep and schedules. All of them together need one connection,
 * which has the plans for it; on a worker's own, a job that came meanwhile would go to a new one without any.
 */
export class UpkeepDatabase {
  readonly database: Database;
  readonly #clock: Clock;
  readonly #key: string;
  readonly #users = new Set<UpkeepUser>();

  private constructor(clock: Clock, place: UpkeepPlace, key: string) {
    this.#clock = clock;
    this.#key = key;
    this.database = new Database({
      ...place,
      connections,
      applicationName: "lockstep upkeep",
      onDown: (error) => {
        for (const user of this.#users) user.onDown(error);
      },
      onUp: () => {
        for (const user of this.#users) user.onUp();
      },
    });
  }

  static join(clock: Clock, { url, transactionPooler }: UpkeepPlace, user: UpkeepUser): UpkeepDatabase {
    const place = { url, transactionPooler };
    const key = JSON.stringify(place);
    const upkeep = shared.get(clock, key, () => new UpkeepDatabase(clock, place, key));
    upkeep.#users.add(user);
    return upkeep;
  }

  /** Closed with the last one. */
  async leave(user: UpkeepUser): Promise<void> {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
    shared.drop(this.#clock, this.#key);
    await this.database.close(this.#clock);
  }
}
