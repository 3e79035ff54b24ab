import { main } from "./main.ts";
import { processIo } from "./process-io.ts";

const io = processIo();
// Not process.exit: what stands in the pipes would be lost.
process.exitCode = await main(process.argv.slice(2), io);
io.release();
