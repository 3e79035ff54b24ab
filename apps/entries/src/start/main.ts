import { readEntriesConfig } from "../entries-config.ts";
import { EntriesProcess } from "../entries-process.ts";
import { ensurePackages } from "./ensure-packages.ts";
import { buildPages, nextProgram, runNext } from "./next-program.ts";
import { prepareEnvironment } from "./prepare-environment.ts";

const [command = "start"] = process.argv.slice(2);

if (command === "work") await work();
else if (command === "build") await build();
else if (command === "start" || command === "dev") await serve(command);
else {
  process.stderr.write(`There is no command "${command}": use start, dev, work or build.\n`);
  process.exitCode = 2;
}

async function build(): Promise<void> {
  await ensurePackages();
  await buildPages();
}

/** The web server; it works too, unless ENTRIES_WORKER=separate. */
async function serve(mode: "start" | "dev"): Promise<void> {
  await ensurePackages();
  if (mode === "start") await buildPages({ unlessDone: true });
  const { env, stopDatabase } = await prepareEnvironment();
  const end = await runNext(nextProgram(mode), env);
  await stopDatabase();
  process.exitCode = end;
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
