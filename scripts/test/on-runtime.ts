import { join } from "node:path";
import { Tally } from "../tally.ts";
import { installBeside } from "./install-beside.ts";
import { runVitest } from "./run-vitest.ts";

// The packed packages on another runtime: on-runtime.ts bun. Not all tests: Vitest itself runs on Node.
interface Runtime {
  readonly version: string;
  /** The package with the program for this platform; `bun` and `deno` themselves need scripts at install to put it in its place. */
  readonly packageName: string;
  readonly program: string;
  /** What is said before the name of a program. */
  readonly flags: readonly string[];
}

const { arch, platform } = process;
const runtimes: Record<string, Runtime> = {
  bun: {
    version: "1.4.4",
    packageName: `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`,
    program: "bin/bun",
    flags: [],
  },
  deno: {
    version: "2.9.6",
    packageName: `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`,
    program: "deno",
    flags: ["run", "--allow-all", "--node-modules-dir=manual"],
  },
};

const [which = ""] = process.argv.slice(2);
const runtime = runtimes[which];
if (runtime === undefined) throw new Error(`Say which runtime: ${Object.keys(runtimes).join(", ")}.`);
const installed = await installBeside(which, runtime.packageName, runtime.version);
const command = [join(installed, runtime.program), ...runtime.flags];
const tally = new Tally();
tally.add(
  await runVitest(["--config", "test/runtimes/vitest.config.ts"], {
    ...process.env,
    LOCKSTEP_TEST_RUNTIME: JSON.stringify(command),
  }),
);
tally.finish();
