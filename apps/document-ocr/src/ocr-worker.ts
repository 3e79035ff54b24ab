import { onToldToStop } from "@lockstep/app-kit/processes";
import { createEngine, stderrLogger } from "lockstep";
import { DocumentOcrApp } from "./document-ocr-app.ts";
import { readDocumentOcrConfig } from "./document-ocr-config.ts";

// One of the worker processes that main.ts starts.
// biome-ignore lint/style/noProcessEnv: here the worker is put together; nothing below it reads the environment.
const config = readDocumentOcrConfig(process.env);
const [workerName = "ocr-worker"] = process.argv.slice(2);

const app = new DocumentOcrApp(config, async () => databaseUrl());
const engine = createEngine({
  databaseUrl: databaseUrl(),
  pipelines: [app.pipeline],
  workerName,
  tempRoot: config.tempFolder,
  // Reading takes a core and much memory, and so does making the result: two stages at once would take twice that.
  jobsAtOnce: config.documentsAtOnce,
  logger: stderrLogger,
});

onToldToStop(() => void stop());
await engine.start();
process.send?.("started");

async function stop(): Promise<void> {
  await engine.stop();
  await app.close();
  if (process.connected) process.disconnect();
}

function databaseUrl(): string {
  if (config.databaseUrl === null)
    throw new Error("A worker needs DATABASE_URL, which npm start sets for it.");
  return config.databaseUrl;
}
