import { delimiter, join } from "node:path";
import { runCommand } from "../run-command.ts";
import { installBeside } from "./install-beside.ts";

// The tests again on a newer Node: on-node.ts 24 [files]. The oldest that is supported is the one of `npm test`.
const versions: Record<string, string> = { 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };

const [which = "", ...files] = process.argv.slice(2);
const version = versions[which];
if (version === undefined) throw new Error(`Say which Node to test on: ${Object.keys(versions).join(", ")}.`);
const packageName = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const bin = join(await installBeside(`node-${which}`, packageName, version), "bin");
process.exitCode = await runCommand(
  join(bin, "node"),
  ["--conditions=@lockstep/source", "--import", "tsx", "scripts/test/main.ts", ...files],
  { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
);
