import type { Engine } from "lockstep";
import type { Output } from "../output/output.ts";
import { exitCode } from "../session/exit-code.ts";
import type { StopOrders } from "./stop-orders.ts";

/** Stops a working engine as the orders say, and comes back with the exit code: 0 when nothing had to be aborted. */
export async function drain(
  engine: Engine,
  orders: StopOrders,
  output: Output,
  say = (jobs: string) => `waiting for ${jobs}, Ctrl-C again to abort`,
): Promise<number> {
  const running = (engine.health()?.stages ?? []).reduce((sum, stage) => sum + stage.busy, 0);
  if (running > 0) output.note(say(running === 1 ? "1 job" : `${running} jobs`));
  const abort = () => {
    output.note("aborting: running jobs are released, and the attempt does not count");
    // A second call cuts the drain short.
    void engine.stop();
  };
  let leftBehind = 0;
  const endListening = engine.on("processor.error", () => {
    leftBehind += 1;
  });
  const stopped = engine.stop();
  if (orders.abort.aborted) abort();
  else orders.abort.addEventListener("abort", abort, { once: true });
  await stopped;
  endListening();
  orders.abort.removeEventListener("abort", abort);
  if (leftBehind > 0) {
    const handlers = leftBehind === 1 ? "1 handler" : `${leftBehind} handlers`;
    output.warn(`${handlers} did not stop when told to: released, and ended with this process`);
  }
  if (!orders.abort.aborted) return exitCode("done");
  return exitCode(orders.signal === "SIGTERM" ? "terminated" : "interrupted");
}
