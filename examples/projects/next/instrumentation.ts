/** Next calls this once, when a server process starts. */
export async function register(): Promise<void> {
  // Written so that Next leaves out what follows when it bundles for other runtimes.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { startWorker } = await import("./lib/worker");
    await startWorker();
  }
}
