import { usageError } from "../errors/cli-error.ts";

/** Which pipeline each queue goes to, as --queue says it: "email=send-email", or "email" alone for the same name. */
export function queueTargets(flags: readonly string[]): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  for (const flag of flags) {
    // The name of a pipeline has no "=", that of a queue may.
    const at = flag.lastIndexOf("=");
    const queue = at === -1 ? flag : flag.slice(0, at);
    const pipeline = at === -1 ? flag : flag.slice(at + 1);
    if (queue === "" || pipeline === "") {
      throw usageError(`--queue must be QUEUE=PIPELINE, not "${flag}".`);
    }
    if (targets.has(queue)) throw usageError(`--queue names the queue "${queue}" twice.`);
    targets.set(queue, pipeline);
  }
  return targets;
}
