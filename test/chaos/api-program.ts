import { createServer, listen } from "@lockstep/server";
import { createEngine, type EngineOptions } from "lockstep";
import { chaosPipeline } from "./chaos-pipeline.ts";

/** What the program is told on its command line, as JSON. */
export interface ChaosApiOptions {
  readonly databaseUrl: string;
  readonly port: number;
  readonly leaseMs: number;
  readonly settings: Omit<EngineOptions, "databaseUrl" | "pipelines">;
}

const { databaseUrl, port, leaseMs, settings }: ChaosApiOptions = JSON.parse(process.argv[2] ?? "");
const engine = createEngine({
  logger: null,
  ...settings,
  databaseUrl,
  pipelines: [chaosPipeline(leaseMs, null)],
});
const server = createServer({
  engine,
  access: "loopback",
  addsPerSecond: null,
  writesPerSecond: null,
  readsPerSecond: null,
  logger: null,
});
// A run that is gone will not end this process.
process.on("disconnect", () => process.exit(1));
process.on("SIGTERM", () => process.exit(0));
await listen(server, { port });
process.send?.("ready");
