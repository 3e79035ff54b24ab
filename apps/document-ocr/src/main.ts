import { tmpdir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { givenOrOwnPostgres, onToldToStop } from "@lockstep/app-kit/processes";
import { removeDevRecord, writeDevRecord } from "@lockstep/cli/dev-record";
import { ensureConsole } from "@lockstep/console";
import { listen } from "@lockstep/server";
import { createEngine, stderrLogger } from "lockstep";
import { DocumentOcrApp } from "./document-ocr-app.ts";
import { readDocumentOcrConfig } from "./document-ocr-config.ts";
import { safeFileName } from "./services/document-source.ts";
import { FolderWatcher } from "./services/folder-watcher.ts";
import { RegisterWatcher } from "./services/register-watcher.ts";
import { sweepUploadFolders } from "./services/upload-folder.ts";
import { WorkerProcesses } from "./services/worker-processes.ts";
import { uploadServer } from "./upload-server.ts";

// biome-ignore lint/style/noProcessEnv: here the app is put together; nothing below it reads the environment.
const env = process.env;
const config = readDocumentOcrConfig(env);
const say = (text: string) => void process.stdout.write(`${text}\n`);
const lookIntervalMs = 2_000;
const yearMs = 365 * 86_400_000;

const stopping = new AbortController();
onToldToStop(() => stopping.abort());

// From source the console may have to be built first; everything else works without it.
const building = ensureConsole().catch((error: unknown) => {
  say(`The console could not be built: ${error instanceof Error ? error.message : error}`);
  return null;
});
const postgres = await givenOrOwnPostgres(config.databaseUrl, ".lockstep/postgres");
const { databaseUrl } = postgres;
const app = new DocumentOcrApp(config, async () => databaseUrl);
const engine = createEngine({ databaseUrl, pipelines: [app.pipeline], logger: stderrLogger });
await engine.migrate();
await app.prepare();
const workers = new WorkerProcesses({
  count: config.workerCount,
  program: new URL("./ocr-worker.ts", import.meta.url),
  env: { ...env, DATABASE_URL: databaseUrl },
  say,
});
workers.start();
const tempFolder = config.tempFolder ?? tmpdir();
await sweepUploadFolders(tempFolder);
const server = uploadServer({ engine, app, consoleFolder: await building, tempFolder });
const listening = await listen(server, { port: `first free from ${config.port}` });
// So that `lockstep workers` and other commands find this database from this folder.
await writeDevRecord(process.cwd(), { url: `${listening.url}/lockstep`, databaseUrl, pid: process.pid });
say(`upload page  ${listening.url}`);
say(`console      ${listening.url}/lockstep`);
say(`workers      ${config.workerCount}`);
say(`folder       ${config.watchFolder ?? "none is watched (OCR_WATCH_FOLDER)"}`);
say(`register     ${config.register?.url ?? "none (OCR_REGISTER_URL)"}`);
say(`reading      ${config.model === null ? "on this machine" : config.model.name}`);

await Promise.all([untilStopped(), ...watching()]);
say("stopping: workers finish their current jobs");
await listening.stop();
await workers.stop();
await engine.stop();
await app.close();
await removeDevRecord(process.cwd());
await postgres.stop();
if (process.connected) process.disconnect();
say("stopped");

function watching(): Promise<void>[] {
  const { watchFolder, register } = config;
  // The key outlives the job: after a restart, what was read is not read again.
  const addOnce = (source: string, dedupKey: string) =>
    engine.add(app.pipeline, { source }, { dedupKey, dedup: { forMs: yearMs } });
  const looks: Promise<void>[] = [];
  if (watchFolder !== null) {
    const watcher = new FolderWatcher(watchFolder, async ({ name, version }) => {
      await addOnce(`folder:${name}`, `folder ${version}`);
    });
    looks.push(lookEvery(lookIntervalMs, watchFolder, () => watcher.look()));
  }
  if (register !== null) {
    const list = async () => (await app.register?.list(stopping.signal)) ?? [];
    const watcher = new RegisterWatcher(list, async ({ id, name }) => {
      await addOnce(`register:${id}/${safeFileName(name)}`, `register ${id}`);
    });
    looks.push(lookEvery(register.intervalMs, register.url, () => watcher.look()));
  }
  return looks;
}

async function lookEvery(intervalMs: number, place: string, look: () => Promise<void>): Promise<void> {
  while (!stopping.signal.aborted) {
    await look().catch((error: unknown) => say(`${place} could not be read: ${error}`));
    await pause(intervalMs, undefined, { signal: stopping.signal }).catch(() => {});
  }
}

async function untilStopped(): Promise<void> {
  if (stopping.signal.aborted) return;
  await new Promise((resolve) => stopping.signal.addEventListener("abort", resolve, { once: true }));
}
