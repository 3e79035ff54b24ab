import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { SeededRandom } from "../scenarios/requests/seeded-random.ts";

export interface ProducerParts {
  readonly apiUrls: readonly string[];
  readonly random: SeededRandom;
  readonly leaseMs: number;
  readonly liveJobs: number;
  /** How many jobs are not finished. */
  readonly countLive: () => Promise<number>;
}

const atOnce = 8;

/** Adds jobs over HTTP as fast as they end, and cancels some. What was acknowledged is what it vouches for. */
export class Producer {
  readonly #parts: ProducerParts;
  readonly #under = new Set<Promise<void>>();
  #isOver = false;
  #running: Promise<void> = Promise.resolve();
  /** Ids of acknowledged adds. */
  readonly acknowledged = new Set<string>();
  /** Adds that were answered with the id of a live twin. */
  twins = 0;
  cancels = 0;
  /** Requests that had to be sent again. */
  resent = 0;
  /** Requests that were refused, one sentence each. */
  readonly failures: string[] = [];

  constructor(parts: ProducerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Resolves when every add that was begun is acknowledged. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await Promise.all(this.#under);
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const missing = this.#parts.liveJobs - (await this.#parts.countLive());
      for (let count = 0; count < missing && this.#under.size < atOnce; count += 1) {
        const adding = this.#add()
          .catch((error: unknown) => void this.failures.push(String(error)))
          .finally(() => this.#under.delete(adding));
        this.#under.add(adding);
      }
      await pause(50);
    }
  }

  async #add(): Promise<void> {
    const { random, leaseMs } = this.#parts;
    const dedupKey = random.chance(0.1) ? `key-${random.below(20)}` : undefined;
    const job = {
      pipeline: "chaos",
      payload: { seed: random.below(1_000_000) },
      priority: 8 + random.below(5),
      ...(dedupKey !== undefined && { dedupKey }),
      // The moves of these are told as events, too.
      ...(random.chance(0.5) && { owner: `owner-${random.below(3)}` }),
    };
    const cancelAfterMs = random.chance(0.05) ? random.number() * 6 * leaseMs : null;
    const answer = await this.#send("jobs", job);
    const { id, created } = answer as { id: string; created: boolean };
    this.acknowledged.add(id);
    if (!created) this.twins += 1;
    if (cancelAfterMs === null) return;
    await pause(cancelAfterMs);
    this.cancels += 1;
    await this.#send(`jobs/${id}/cancel`, {});
  }

  /** Again and again under one key, until somebody answers: then it was done once, or is refused. */
  async #send(path: string, body: object): Promise<unknown> {
    const { apiUrls, random, leaseMs } = this.#parts;
    const key = randomUUID();
    for (;;) {
      try {
        const response = await fetch(`${random.pick(apiUrls)}/api/v1/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": key },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(3 * leaseMs),
        });
        const answer: unknown = await response.json();
        if (response.ok) return answer;
        // Cancelled too late is an answer, too; that the first request is still under way is none.
        const { code } = answer as { code: string };
        if (response.status === 409 && !code.startsWith("idempotency")) return answer;
        if (response.status < 500 && response.status !== 409 && response.status !== 429) {
          throw new ProducerError(`${path} was answered by ${response.status}: ${JSON.stringify(answer)}`);
        }
      } catch (error) {
        if (error instanceof ProducerError) throw error;
      }
      this.resent += 1;
      await pause(50);
    }
  }
}

class ProducerError extends Error {
  override readonly name = "ProducerError";
}
