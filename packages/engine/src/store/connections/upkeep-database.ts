import type { Clock } from "../../clock.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { SharedParts } from "./shared-parts.ts";

/** One who uses it: any object of its own. */
export type UpkeepUser = object;

type UpkeepOptions = Pick<DatabaseOptions, "target" | "schema" | "transactionPooler" | "outages">;

// One is enough, unless a long deletion occupies it when a schedule's tick comes.
const connections = 2;

const shared = new SharedParts<UpkeepDatabase>();

/**
 * For what the workers of a process do beside their jobs: upkeep and schedules. They share one connection, which has the
 * plans for this work. If it used a worker's own connection, a job that came meanwhile would need a new one without plans.
 */
export class UpkeepDatabase {
  readonly database: Database;
  readonly #clock: Clock;
  readonly #key: string;
  readonly #users = new Set<UpkeepUser>();

  private constructor(clock: Clock, options: UpkeepOptions, key: string) {
    this.#clock = clock;
    this.#key = key;
    this.database = new Database({
      ...options,
      connections,
      applicationName: "lockstep upkeep",
    });
  }

  static join(clock: Clock, options: UpkeepOptions, user: UpkeepUser): UpkeepDatabase {
    const key = JSON.stringify([options.target.key, options.schema, options.transactionPooler]);
    const upkeep = shared.get(clock, key, () => new UpkeepDatabase(clock, options, key));
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
