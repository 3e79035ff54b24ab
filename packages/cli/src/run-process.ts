import { main } from "./main.ts";
import { processIo } from "./session/process-io.ts";

/** Runs the command line of this process. Resolves when all output has been written. */
export async function runProcess(io = processIo()): Promise<{ flushed(): Promise<unknown> }> {
  // Not process.exit: what is still in the pipes would be lost.
  process.exitCode = await main(process.argv.slice(2), io);
  io.release();
  return io;
}
