import { ManualClock, type TestDatabase } from "@lockstep/test-support";
import { createEngine, type Engine } from "lockstep";
import pg from "pg";
import { inject } from "vitest";
import { until } from "../scenarios/stories/until.ts";
import { oneStage } from "./counted-work.ts";

/** Workers that have found nothing, and a time for them that passes as fast as the database answers. */
export class SleepingWorkers {
  readonly #clock = new ManualClock();
  readonly #databaseName: string;
  // Beside the database, so that its looks are not counted there.
  readonly #observer = new pg.Client({
    connectionString: inject("serverUrl"),
    application_name: "lockstep tests: observer",
  });
  readonly engines: readonly Engine[];

  constructor(db: TestDatabase, count: number) {
    this.#databaseName = new URL(db.url).pathname.slice(1);
    this.engines = Array.from({ length: count }, () =>
      createEngine({
        databaseUrl: db.url,
        pipelines: [oneStage],
        logger: null,
        clock: this.#clock,
        // Renewed in real time, it must outlast the time that passes here.
        leaseMs: 3_600_000,
      }),
    );
  }

  /** Says how each of them listens for wake-ups. */
  async start(): Promise<string[]> {
    await this.#observer.connect();
    const listens: string[] = [];
    // One after the other: they share a connection, whose last query tells of those who came last.
    for (const engine of this.engines) {
      await engine.start();
      const listen = `listen lockstep_${engine.health()?.workerId.replaceAll("-", "")}`;
      await until("the worker listens", async () => {
        const { rows } = await this.#observer.query(
          "select from pg_stat_activity where datname = $1 and state = 'idle' and query like $2 || ';%'",
          [this.#databaseName, listen],
        );
        return rows.length === 1;
      });
      listens.push(listen);
    }
    // Long enough to find nothing again and again, and to say that they sleep.
    await this.pass(5_000);
    return listens;
  }

  async pass(ms: number): Promise<void> {
    const stepMs = 100;
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await this.#clock.advance(stepMs);
      await until("the database has answered all of them", async () => {
        const { rows } = await this.#observer.query(
          "select from pg_stat_activity where datname = $1 and backend_type = 'client backend' and state <> 'idle'",
          [this.#databaseName],
        );
        return rows.length === 0;
      });
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.engines.map((engine) => engine.stop()));
    await this.#observer.end();
  }
}
