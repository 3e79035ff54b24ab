/** Next calls this once, when a server process starts. */
export async function register(): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: Next leaves out what is behind this word when it bundles for other runtimes.
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startWorkingInServer } = await import("./src/working-in-server.ts");
  startWorkingInServer();
}
