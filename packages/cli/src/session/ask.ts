import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { usageError } from "../errors/cli-error.ts";
import type { CliConfig } from "./cli-config.ts";
import type { Io } from "./io.ts";

/** Whether a person says yes. Where nobody can be asked and --yes is not given, the command is refused. */
export async function ask(
  question: string,
  config: Pick<CliConfig, "isYes" | "mayAsk">,
  io: Pick<Io, "stdin" | "stderr">,
  signal: AbortSignal,
): Promise<boolean> {
  if (config.isYes) return true;
  if (!config.mayAsk) {
    throw usageError(`${question} There is no terminal to ask on.`, "Give --yes to skip the question.");
  }
  await io.stderr.write(`${question} [y/N] `);
  const input = Readable.from(io.stdin);
  const lines = createInterface({ input });
  try {
    const line = once(lines, "line", { signal }).then(([text]) => String(text));
    const ended = once(lines, "close", { signal }).then(() => "");
    return /^\s*(y|yes)\s*$/i.test(await Promise.race([line, ended]));
  } catch {
    return false;
  } finally {
    lines.close();
    // A terminal that is still read from would keep the process alive.
    input.destroy();
  }
}
