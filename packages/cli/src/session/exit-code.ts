/** How a command ended, for scripts. The page on the CLI is compared with this table by a test. */
export const exitCodes = {
  done: { code: 0, sentence: "Done." },
  failed: { code: 1, sentence: "Failed." },
  usage: { code: 2, sentence: "Wrong usage: an unknown command or flag, or a value that cannot be used." },
  unreachable: { code: 3, sentence: "The database or the server cannot be reached." },
  notFound: { code: 4, sentence: "There is no such job, pipeline, stage or schedule." },
  conflict: {
    code: 5,
    sentence: "A conflict: the job's state does not allow it, or a job with the same dedup key is live.",
  },
  partlyDone: { code: 6, sentence: "A bulk action was only partly done." },
  checkFailed: { code: 7, sentence: "A check failed: doctor, verify, health or migrate --check." },
  timedOut: { code: 124, sentence: "Not finished within --timeout." },
  interrupted: { code: 130, sentence: "Ended by SIGINT (Ctrl-C)." },
  terminated: { code: 143, sentence: "Ended by SIGTERM." },
} as const;

export type ExitName = keyof typeof exitCodes;

export function exitCode(name: ExitName): number {
  return exitCodes[name].code;
}
