import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { confinedCommand, confinedEnvironment } from "./confined-command.ts";
import { defaultReadingLimits } from "./reading-limits.ts";

let port: number;
let connections = 0;
const server = createServer((socket) => {
  connections++;
  socket.destroy();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const guard = ["--import", new URL("./child/no-network.js", import.meta.url).href];

async function run(code: string, imports: string[] = []): Promise<string> {
  const node = [process.execPath, ...imports, "--input-type=module", "--eval", code];
  const { command, args } = await confinedCommand(node, defaultReadingLimits, 2);
  const { stdout } = await promisify(execFile)(command, args, { env: confinedEnvironment });
  return stdout.trim();
}

const call = () => `
  import { connect } from "node:net";
  const socket = connect(${port}, "127.0.0.1");
  socket.on("connect", () => { console.log("connected"); process.exit(); });
  socket.on("error", (error) => console.log(error.message));`;

test("what reads documents can call nobody, in no thread", async () => {
  const inThread = `
    import { Worker } from "node:worker_threads";
    new Worker(${JSON.stringify(call())}, { eval: true });`;
  const fetched = `fetch("http://127.0.0.1:${port}").catch((error) => console.log(error.cause.message));`;
  const said = await Promise.all([call(), inThread, fetched].map((code) => run(code, guard)));
  expect(said).toEqual(Array(3).fill("The reading process has no network."));
  expect(connections).toBe(0);
});

test("what reads documents knows nothing of the worker's environment", async () => {
  // Set by vitest in this process.
  const seen = await run(
    "console.log(Object.keys(process.env).filter((name) => !name.startsWith('__')).sort().join())",
  );
  expect(seen).toBe("LC_ALL,PATH,TZ,UV_THREADPOOL_SIZE");
});
