import { givenOrOwnPostgres, onToldToStop } from "@lockstep/app-kit/processes";
import { listen } from "@lockstep/server";
import { createEngine, stderrLogger } from "lockstep";
import { analysisServer } from "./server/analysis-server.ts";
import { WebsiteAnalysisApp } from "./website-analysis-app.ts";
import { readWebsiteAnalysisConfig } from "./website-analysis-config.ts";

// biome-ignore lint/style/noProcessEnv: here the app is put together; nothing below it reads the environment.
const config = readWebsiteAnalysisConfig(process.env);
const say = (text: string) => void process.stdout.write(`${text}\n`);
const dayMs = 86_400_000;

const postgres = await givenOrOwnPostgres(config.databaseUrl, ".lockstep/postgres");
const { databaseUrl } = postgres;
const app = new WebsiteAnalysisApp(config, async () => databaseUrl);
const secret = config.secret ?? (await app.visitors.secret());
const engine = createEngine({
  databaseUrl,
  pipelines: [app.pipeline],
  workerName: "website-analysis",
  tokenSecret: secret,
  logger: stderrLogger,
});
await engine.migrate();
if (config.worksInServer) await engine.start();
const server = analysisServer({ engine, app, secret });
const listening = await listen(server, { port: `first free from ${config.port}` });
say(`analysis page  ${listening.url}`);
say(`API            ${listening.url}/lockstep/api/v1`);
say(`analyst        ${config.model === null ? "local" : config.model.name}`);
say(`pace           one request to a host every ${config.hostIntervalMs} ms`);

const forget = () =>
  app.visitors
    .forget(engine.retention.keepFailedDays + 1)
    .catch((error: unknown) => say(`Old addresses are still kept: ${error}`));
await forget();
const forgetting = setInterval(() => void forget(), dayMs);

onToldToStop(() => void stop());

async function stop(): Promise<void> {
  clearInterval(forgetting);
  await listening.stop();
  await engine.stop();
  await app.close();
  await postgres.stop();
  if (process.connected) process.disconnect();
  say("stopped");
}
