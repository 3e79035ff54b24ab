import { readEntriesConfig } from "../entries-config.ts";
import { EntriesProcess } from "../entries-process.ts";
import { ensurePackages } from "./ensure-packages.ts";
import { buildPages, serveNext } from "./next-program.ts";
import { prepareEnvironment } from "./prepare-environment.ts";
import { ToldToStopError } from "./run-program.ts";

const [command = "start", flag] = process.argv.slice(2);

try {
  if (command === "work") await work();
  else if (command === "build") await buildPages({ unlessDone: flag === "--if-changed" });
  else if (command === "start" || command === "dev") await serve(command);
  else {
    process.stderr.write(`There is no command "${command}": use start, dev, work or build.\n`);
    process.exitCode = 2;
  }
} catch (error) {
  if (!(error instanceof ToldToStopError)) throw error;
  process.exitCode = error.exitCode;
}

/** The web server; it works too, unless ENTRIES_WORKER=separate. */
async function serve(mode: "start" | "dev"): Promise<void> {
  await (mode === "start" ? buildPages({ unlessDone: true }) : ensurePackages());
  const { env, stopDatabase } = await prepareEnvironment();
  const code = await serveNext(mode, env);
  await stopDatabase();
  process.exitCode = code;
}

/** Only a worker: any number of them beside any number of web servers. */
async function work(): Promise<void> {
  const { env, stopDatabase } = await prepareEnvironment();
  const entries = new EntriesProcess(readEntriesConfig(env));
  await entries.work();
  process.stdout.write("Working on entries. Ctrl-C ends it after the running stages.\n");
  const stop = async () => {
    await entries.stop();
    await stopDatabase();
  };
  let stopping: Promise<void> | null = null;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stopping === null) stopping = stop();
      else process.exit(130);
    });
  }
}
