import { entriesProcess } from "./entries-process.ts";

/** The engine beside the web server, and its drain when the process should end. */
export function startWorkingInServer(): void {
  const entries = entriesProcess();
  if (entries.config.worksInServer) {
    // Not waited for: requests are answered while the database is still away.
    entries.work().catch((error: unknown) => {
      process.stderr.write(`This server does not run jobs: ${error}\n`);
    });
  } else entries.follow();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      // Sends the signal again, with nobody listening: it ends the process, and the sender sees that it did.
      const end = () => process.kill(process.pid, signal);
      entries.stop().then(end, end);
    });
  }
}
