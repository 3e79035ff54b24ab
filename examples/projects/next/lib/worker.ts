import { lockstep } from "./lockstep";

/** This process answers requests and runs jobs. Jobs that are running when it should end are finished first. */
export async function startWorker(): Promise<void> {
  const { engine, server } = lockstep();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, async () => {
      await server.stop();
      await engine.stop();
      process.exit(0);
    });
  }
  await engine.migrate();
  await engine.start();
}
