import type { Logger } from "./event-logger.ts";

/** The default logger: what went wrong, one line each, on the standard error stream. */
export const stderrLogger: Logger = {
  debug() {},
  info() {},
  warn: (fields, message) => write("warn", fields, message),
  error: (fields, message) => write("error", fields, message),
  isLevelEnabled: (level) => level === "warn" || level === "error",
};

function write(level: string, fields: object, message: string): void {
  const { event } = fields as { event?: unknown };
  process.stderr.write(`lockstep ${level}: ${message} (${String(event)})\n`);
}
