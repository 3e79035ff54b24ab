/**
 * Calls `stop` once: at SIGINT or SIGTERM, or when the process that started this one has gone and nobody else would ever
 * stop it.
 */
export function onToldToStop(stop: () => void): void {
  let isTold = false;
  const tell = () => {
    if (isTold) return;
    isTold = true;
    stop();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, tell);
  process.on("disconnect", tell);
}
