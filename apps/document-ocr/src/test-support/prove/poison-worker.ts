// A worker like the usual one, except that one document kills it. Documents are read in a process of their own, so none
// is known that really does; this is what would happen if there were one, or if a machine's memory ran out.
import { readFile } from "node:fs/promises";
import { createEngine } from "lockstep";
import { DocumentOcrApp } from "../../document-ocr-app.ts";
import { readDocumentOcrConfig } from "../../document-ocr-config.ts";
import { chooseReading } from "../../services/choose-reading.ts";
import { poisonMark } from "./poison-mark.ts";

// biome-ignore lint/style/noProcessEnv: here the worker is put together.
const config = readDocumentOcrConfig(process.env);
const databaseUrl = config.databaseUrl ?? "";
const reading = chooseReading(config);
const app = new DocumentOcrApp(config, async () => databaseUrl, {
  reading: {
    ...reading,
    read: async (options) => {
      if ((await readFile(options.file)).includes(poisonMark)) process.kill(process.pid, "SIGKILL");
      return reading.read(options);
    },
  },
});
const engine = createEngine({
  databaseUrl,
  pipelines: [app.pipeline],
  workerName: process.argv[2] ?? null,
  tempRoot: config.tempFolder,
  logger: null,
});
const stop = () =>
  void engine
    .stop()
    .then(() => app.close())
    .then(() => process.disconnect());
process.on("SIGTERM", stop);
await engine.start();
