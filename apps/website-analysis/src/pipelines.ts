import { chooseAnalyst } from "./services/asking/choose-analyst.ts";
import { readWebsiteAnalysisConfig } from "./website-analysis-config.ts";
import { websiteAnalysisPipeline } from "./website-analysis-pipeline.ts";

// biome-ignore lint/style/noProcessEnv: here the app is put together; nothing below it reads the environment.
const config = readWebsiteAnalysisConfig(process.env);

export const websiteAnalysis = websiteAnalysisPipeline({ config, analyst: chooseAnalyst(config.model) });
