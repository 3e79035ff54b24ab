import { runProcess } from "./run-process.ts";

const lastMs = 500;
const { flushed } = await runProcess();
// A handler that does not stop, or a socket that it left open, must not keep the process alive at the end.
setTimeout(() => void flushed().then(() => process.exit()), lastMs).unref();
