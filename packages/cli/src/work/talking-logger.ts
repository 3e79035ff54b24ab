import type { Logger } from "lockstep";
import type { Output } from "../output/output.ts";
import type { CliConfig } from "../session/cli-config.ts";

/** The engine's log as talk on stderr: warnings and errors always, the rest as far as -v and --debug ask for it. */
export function talkingLogger(output: Output, talk: CliConfig["talk"]): Logger {
  const levels = {
    debug: talk === "debug",
    info: talk === "verbose" || talk === "debug",
    warn: true,
    error: true,
  };
  return {
    debug: (_fields, message) => output.detail(message),
    info: (_fields, message) => output.detail(message),
    warn: (_fields, message) => output.warn(output.safe(message)),
    error: (_fields, message) => output.error([`${output.talkPaint.red("error")}  ${output.safe(message)}`]),
    isLevelEnabled: (level) => levels[level],
  };
}
