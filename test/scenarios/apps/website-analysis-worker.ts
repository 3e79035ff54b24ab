import { createEngine, type EngineOptions } from "lockstep";
import { chooseAnalyst } from "../../../apps/website-analysis/src/services/asking/choose-analyst.ts";
import { readWebsiteAnalysisConfig } from "../../../apps/website-analysis/src/website-analysis-config.ts";
import { websiteAnalysisPipeline } from "../../../apps/website-analysis/src/website-analysis-pipeline.ts";

/** What the program is told on its command line, as JSON. */
export interface WebsiteAnalysisWorkerOptions {
  readonly databaseUrl: string;
  /** The environment that the app would read. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Omit<EngineOptions, "databaseUrl" | "pipelines">;
}

const { databaseUrl, env, settings }: WebsiteAnalysisWorkerOptions = JSON.parse(process.argv[2] ?? "");
const config = readWebsiteAnalysisConfig(env);
const pipeline = websiteAnalysisPipeline({
  config,
  analyst: chooseAnalyst(config.model),
  retry: { baseMs: 50 },
});
const engine = createEngine({ ...settings, databaseUrl, pipelines: [pipeline] });

engine.onAny((name, event) => {
  if (process.connected) process.send?.({ name, event });
});
// A test that is gone will not end this process.
const exit = () => process.exit(1);
process.on("disconnect", exit);
process.on("SIGTERM", () => {
  void engine.stop().then(() => {
    process.off("disconnect", exit);
    if (process.connected) process.send?.({ name: "end", event: {} }, () => process.disconnect());
  });
});
await engine.start();
