import { entriesProcess } from "./entries-process.ts";

/** The engine beside the web server, and its drain when the process shall end. */
export function startWorkingInServer(): void {
  const entries = entriesProcess();
  if (entries.config.worksInServer) {
    // Not waited for: requests are answered while the database is still away.
    entries.work().catch((error: unknown) => {
      process.stderr.write(`This server does not work on entries: ${error}\n`);
    });
  }
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      // The signal again, with nobody listening: it ends the process, and whoever sent it sees that it did.
      const end = () => process.kill(process.pid, signal);
      entries.stop().then(end, end);
    });
  }
}
