const probeMs = 150;

/**
 * How many times longer work takes here now than on a machine of its own, by how much of a processor this process gets. A
 * lease of one second means nothing where a process waits for several to get its turn.
 */
export function slowness(): number {
  const beganMs = performance.now();
  const began = process.cpuUsage();
  const usedMs = () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
  while (usedMs() < probeMs);
  return Math.max(1, (performance.now() - beganMs) / probeMs);
}

/** A lease that this machine can keep, from how long it is on a quiet one. A busy one may become busier. */
export function tenableLeaseMs(quietMs: number): number {
  const times = slowness();
  return Math.round((quietMs * (times < 1.5 ? times : 2 * times)) / 100) * 100;
}
