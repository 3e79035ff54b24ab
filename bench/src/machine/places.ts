import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Contender } from "../contenders/contender-list.ts";
import type { BenchOptions } from "../plan/bench-options.ts";
import type { Cell } from "../plan/plan.ts";
import { type BenchNode, newNode, ownNode } from "./bench-node.ts";
import { BenchServer } from "./bench-server.ts";
import { ContenderProcess } from "./contender-process.ts";
import { installPeers } from "./peers.ts";
import { publishedForm } from "./published-form.ts";
import { type Redis, startRedis } from "./redis.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** Where runs take place: the Node, the peers, the stores. */
export class Places {
  readonly node: BenchNode;
  /** A file that imports from the folder of the peers; null when none take part. */
  readonly peerLoader: string | null;
  /** Null when the machine has none, or nobody asks for it. */
  readonly redis: Redis | null;
  readonly #server: BenchServer;
  readonly #postgres: string | null;
  readonly #processes = new Map<string, ContenderProcess>();
  #special: { server: BenchServer; settings: Cell["serverSettings"] } | null = null;

  constructor(
    parts: Pick<Places, "node" | "peerLoader" | "redis"> & { server: BenchServer; postgres: string | null },
  ) {
    this.node = parts.node;
    this.peerLoader = parts.peerLoader;
    this.redis = parts.redis;
    this.#server = parts.server;
    this.#postgres = parts.postgres;
  }

  static async open({ contenders, size, postgres }: BenchOptions): Promise<Places> {
    const hasPeers = contenders.some(isInstalled);
    const isSmoke = size.name === "smoke";
    return new Places({
      node: hasPeers || !isSmoke ? await newNode() : ownNode(),
      peerLoader: hasPeers ? await installPeers() : null,
      redis: contenders.some(({ store }) => store === "redis") ? await startRedis() : null,
      // Measurements are made on PostgreSQL's own settings, fsync included; a smoke run measures nothing.
      server: await BenchServer.start(postgres, isSmoke ? { fsync: "off" } : {}),
      postgres,
    });
  }

  /** The process of the contender's module, which idles between its runs without a connection. */
  contender(contender: Contender): ContenderProcess {
    const { module, checkout = repository } = contender;
    const { peerLoader } = this;
    const key = join(checkout, module);
    let process = this.#processes.get(key);
    if (process === undefined) {
      const own = join(checkout, "bench");
      const folder = isInstalled(contender) && peerLoader !== null ? dirname(peerLoader) : own;
      const coldProgram = join(folder, "cold", `${module}.mjs`);
      process = new ContenderProcess(this.node, checkout, { module, peerLoader, coldProgram });
      this.#processes.set(key, process);
    }
    return process;
  }

  /** What a cold start of this contender loads, made new if it is ours. */
  async published({ role, checkout = repository, ...contender }: Contender): Promise<void> {
    if (role === "lockstep" || contender.module === "lockstep") await publishedForm(checkout);
  }

  /** The one server of the run, or another with these settings, which lives until the next one without. */
  async server(settings: Cell["serverSettings"]): Promise<BenchServer> {
    if (this.#special !== null && this.#special.settings !== settings) {
      await this.#special.server.stop();
      this.#special = null;
    }
    if (settings === undefined) return this.#server;
    this.#special ??= { server: await BenchServer.start(this.#postgres, settings), settings };
    return this.#special.server;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process.close()));
    await this.server(undefined);
    await this.#server.stop();
    await this.redis?.stop();
  }
}

/** Whether its packages come from npm, not from a checkout of this repository. */
function isInstalled({ role, checkout }: Contender): boolean {
  return role === "peer" && checkout === undefined;
}
