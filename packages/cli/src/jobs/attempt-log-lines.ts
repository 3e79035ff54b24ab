import type { AttemptLogLine, Job } from "lockstep";
import type { Output } from "../output/output.ts";

export function logLine({ at, level, message, data }: AttemptLogLine, output: Output): string {
  const beside = data === undefined || data === null ? "" : ` ${JSON.stringify(data)}`;
  return `${output.paint.dim(at.toISOString())}  ${level.padEnd(5)}  ${output.safe(`${message}${beside}`)}`;
}

/** What a job has logged since the last look. Only the beginning and the end of a long log are kept. */
export class FollowedLog {
  readonly #lastOf = new Map<string, AttemptLogLine>();

  newLinesOf({ attempts }: Pick<Job, "attempts">): AttemptLogLine[] {
    return attempts.flatMap(({ stage, claimedAt, log = [] }) => {
      const key = `${stage} ${claimedAt.toISOString()}`;
      const told = this.#lastOf.get(key);
      const last = log.at(-1);
      if (last !== undefined) this.#lastOf.set(key, last);
      return told === undefined ? log : linesAfter(told, log);
    });
  }
}

function linesAfter(told: AttemptLogLine, log: readonly AttemptLogLine[]): readonly AttemptLogLine[] {
  const place = log.findLastIndex(({ at, message }) => +at === +told.at && message === told.message);
  return place >= 0 ? log.slice(place + 1) : log.filter(({ at }) => at >= told.at);
}
