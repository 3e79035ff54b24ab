import { findDatabase } from "@lockstep/cli/find-database";
import { WebsiteAnalysisApp } from "./website-analysis-app.ts";
import { readWebsiteAnalysisConfig } from "./website-analysis-config.ts";

// biome-ignore lint/style/noProcessEnv: here the app is put together; nothing below it reads the environment.
const config = readWebsiteAnalysisConfig(process.env);

export const websiteAnalysis = new WebsiteAnalysisApp(config, () => findDatabase(config, process.cwd()))
  .pipeline;
