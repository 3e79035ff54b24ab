import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";
import { findDatabase } from "./find-database.ts";

// biome-ignore lint/style/noProcessEnv: here the app is put together; nothing below it reads the environment.
const config = readDailyBriefConfig(process.env);

const app = new DailyBriefApp(config, () => findDatabase(config.databaseUrl, process.cwd()));

export const dailyBrief = Object.values(app.pipelines);
