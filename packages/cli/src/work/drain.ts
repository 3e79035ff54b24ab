import type { Engine } from "lockstep";
import { exitCode } from "../exit-code.ts";
import type { Output } from "../output.ts";
import type { StopOrders } from "./stop-orders.ts";

/** Stops a working engine as the orders say, and comes back with the exit code: 0 when nothing had to be aborted. */
export async function drain(engine: Engine, orders: StopOrders, output: Output): Promise<number> {
  const running = (engine.health()?.stages ?? []).reduce((sum, stage) => sum + stage.busy, 0);
  if (running > 0) {
    output.note(`waiting for ${running} ${running === 1 ? "job" : "jobs"}, Ctrl-C again to abort`);
  }
  const abort = () => {
    output.note("aborting: what still runs is given back, unspent");
    // A second call cuts the drain short.
    void engine.stop();
  };
  const stopped = engine.stop();
  if (orders.abort.aborted) abort();
  else orders.abort.addEventListener("abort", abort, { once: true });
  await stopped;
  orders.abort.removeEventListener("abort", abort);
  if (!orders.abort.aborted) return exitCode("done");
  return exitCode(orders.signal === "SIGTERM" ? "terminated" : "interrupted");
}
