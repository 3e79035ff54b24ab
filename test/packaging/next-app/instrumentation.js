/** Next calls this once, when a server process starts. */
export async function register() {
  // biome-ignore lint/style/noProcessEnv: Next leaves out what is behind this word when it bundles for other runtimes.
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { engine } = await import("./jobs.js");
  await engine.migrate();
  await engine.start();
}
