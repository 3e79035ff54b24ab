import { givenOrOwnPostgres, onToldToStop } from "@lockstep/app-kit/processes";
import { listen } from "@lockstep/server";
import { createEngine, stderrLogger } from "lockstep";
import { briefServer, newTokenSecret } from "./brief-server.ts";
import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";
import { keepSchedules } from "./services/keep-schedules.ts";
import { queueStatsText } from "./services/queue-stats-text.ts";

// biome-ignore lint/style/noProcessEnv: here the app is put together; nothing below it reads the environment.
const config = readDailyBriefConfig(process.env);
const say = (text: string) => void process.stdout.write(`${text}\n`);

const postgres = await givenOrOwnPostgres(config.databaseUrl, ".lockstep/postgres");
const { databaseUrl } = postgres;
const app = new DailyBriefApp(config, async () => databaseUrl, { withExamples: true });
const pipelines = Object.values(app.pipelines);
const engine = createEngine({
  databaseUrl,
  pipelines,
  workerName: "daily-brief",
  tokenSecret: config.tokenSecret ?? newTokenSecret(),
  logger: stderrLogger,
});
app.addWith(engine);
await engine.migrate();
const schedulePeople = async () =>
  keepSchedules(engine, app.pipelines.dailyBriefDue, await app.people.people());
await schedulePeople();
if (config.worksInServer) await engine.start();
const listening = await listen(briefServer({ engine, app, log: say }), {
  port: `first free from ${config.port}`,
});
say(`page     ${listening.url}`);
say(`API      ${listening.url}/lockstep/api/v1`);
say(`writer   ${config.model === null ? "local" : config.model.name}`);
say(`mail     ${config.mail === null ? "outbox on the page" : "SMTP"}`);
say(`SMS      ${config.sms === null ? "outbox on the page" : config.sms.baseUrl}`);

const types = pipelines.map(({ name }) => name);
const stats = setInterval(() => {
  engine.stats().then(
    (counts) => say(queueStatsText(counts, types)),
    (error: unknown) => say(`No statistics now: ${error instanceof Error ? error.message : error}`),
  );
}, config.statsIntervalMs);

const scheduling = setInterval(() => {
  schedulePeople().catch((error: unknown) =>
    say(`Schedules are as they were: ${error instanceof Error ? error.message : error}`),
  );
}, config.schedulesIntervalMs);

onToldToStop(() => void stop());

async function stop(): Promise<void> {
  clearInterval(stats);
  clearInterval(scheduling);
  await listening.stop();
  await engine.stop();
  await app.close();
  await postgres.stop();
  if (process.connected) process.disconnect();
  say("stopped");
}
