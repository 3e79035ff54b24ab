// Asks the registry for known vulnerabilities of what is locked. Fails when there are any; says so when it cannot ask.
import { spawnSync } from "node:child_process";
import { repository } from "../run-command.ts";
import { auditVerdict } from "./audit-verdict.ts";

const args = ["audit", "--json", "--fetch-retries=0", "--fetch-timeout=20000"];
const { stdout } = spawnSync("npm", args, { cwd: repository, encoding: "utf8" });
const { isFailure, sentence } = auditVerdict(stdout ?? "");
console.log(sentence);
process.exitCode = isFailure ? 1 : 0;
