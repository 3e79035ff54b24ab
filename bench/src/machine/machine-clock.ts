/** Milliseconds on the monotonic clock that all processes of this machine share; performance.now() starts anew in each. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
