import type { EngineOptions } from "lockstep";
import { TcpProxy } from "../scenarios/faults/tcp-proxy.ts";
import { type WrongClock, wrongClockImports } from "../scenarios/faults/wrong-clock.ts";
import type { ChaosApiOptions } from "./api-program.ts";
import type { ChaosOptions } from "./chaos-options.ts";
import { ChaosProcess } from "./chaos-process.ts";
import { faultNamed } from "./faults/all-faults.ts";
import { steadyPort } from "./steady-port.ts";
import type { ChaosWorkerOptions } from "./worker-program.ts";

const clocks: readonly (WrongClock | null)[] = [null, "ahead", "behind", "frozen", "jumping", null];

export interface FleetParts {
  readonly options: ChaosOptions;
  readonly programs: { readonly worker: string; readonly api: string };
  readonly databaseUrl: string;
  readonly journalFolder: string;
  readonly leaseMs: number;
  readonly settings: Omit<EngineOptions, "databaseUrl" | "pipelines">;
}

/** The processes of a run. Half of the workers trust their lease for ever, and the clocks of most are wrong. */
export class Fleet {
  readonly workers: readonly ChaosProcess[];
  readonly apis: readonly ChaosProcess[];
  readonly apiUrls: readonly string[];
  /** Whether its processes reach PostgreSQL through proxies. */
  readonly isProxied: boolean;

  static async start(parts: FleetParts): Promise<Fleet> {
    const { options, databaseUrl } = parts;
    const ports = await Promise.all(Array.from({ length: options.apis }, () => steadyPort()));
    const isProxied = options.kinds.some((kind) => faultNamed(kind).isOnNetwork);
    const proxies = await Promise.all(
      Array.from({ length: options.workers + options.apis }, () =>
        isProxied ? TcpProxy.start(databaseUrl) : null,
      ),
    );
    const fleet = new Fleet(parts, ports, proxies);
    const processes = [...fleet.workers, ...fleet.apis];
    for (const process of processes) process.start();
    try {
      await Promise.all(processes.map((process) => process.untilReady()));
      return fleet;
    } catch (error) {
      await fleet.end();
      throw error;
    }
  }

  private constructor(
    { options, programs, databaseUrl, journalFolder, leaseMs, settings }: FleetParts,
    ports: readonly number[],
    proxies: readonly (TcpProxy | null)[],
  ) {
    this.workers = Array.from({ length: options.workers }, (_, index) => {
      const proxy = proxies[index] ?? null;
      return new ChaosProcess(`worker-${index}`, proxy, (start) => ({
        program: programs.worker,
        options: {
          databaseUrl: proxy?.url ?? databaseUrl,
          name: `worker-${index}-${start}`,
          journalFolder,
          leaseMs,
          isTrusting: index % 2 === 0,
          settings,
        } satisfies ChaosWorkerOptions,
        // So that memory is used up soon.
        nodeFlags: ["--max-old-space-size=64"],
        imports: wrongClockImports(clocks[index % clocks.length] ?? null),
      }));
    });
    this.apis = ports.map((port, index) => {
      const proxy = proxies[options.workers + index] ?? null;
      return new ChaosProcess(`api-${index}`, proxy, () => ({
        program: programs.api,
        options: {
          databaseUrl: proxy?.url ?? databaseUrl,
          port,
          leaseMs,
          settings,
        } satisfies ChaosApiOptions,
      }));
    });
    this.isProxied = proxies.some((proxy) => proxy !== null);
    this.apiUrls = ports.map((port) => `http://127.0.0.1:${port}`);
  }

  async end(): Promise<void> {
    await Promise.all([...this.workers, ...this.apis].map((process) => process.end()));
  }
}
