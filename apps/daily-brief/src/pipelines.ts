import { findDatabase } from "@lockstep/cli/find-database";
import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";

// biome-ignore lint/style/noProcessEnv: here the app is put together; nothing below it reads the environment.
const config = readDailyBriefConfig(process.env);

const app = new DailyBriefApp(config, () => findDatabase(config, process.cwd()), {
  // In `lockstep dev` somebody looks around; a database that was named has people of its own.
  withExamples: config.databaseUrl === null,
});

export const dailyBrief = Object.values(app.pipelines);
