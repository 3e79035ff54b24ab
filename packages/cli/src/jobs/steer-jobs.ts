import type { JobStatus } from "lockstep";
import type { CommandContext } from "../command-line/command.ts";
import { type ExitName, exitCode } from "../session/exit-code.ts";

/** What became of one of the jobs that a person asked about. */
export interface Steered {
  readonly id: string;
  readonly answer: string;
  /** The job in the way, where there is one. */
  readonly twinId?: string | null;
  /** The status of the job, if that is in the way. */
  readonly status?: JobStatus;
}

interface Meaning {
  readonly exit: ExitName;
  readonly sentence: string;
}

/** Steers jobs by their ids, one after the other, and ends with what the answers say together. */
export async function steerJobs(
  { output, signal }: Pick<CommandContext, "output" | "signal">,
  ids: readonly string[],
  steer: (id: string) => Promise<Steered>,
  meanings: Readonly<Record<string, Meaning>>,
): Promise<number> {
  const steered: Steered[] = [];
  for (const id of ids) {
    if (signal.aborted) break;
    steered.push(await steer(id));
  }
  const meaningOf = ({ answer }: Steered): Meaning =>
    meanings[answer] ?? { exit: "failed", sentence: answer };
  const { green, yellow } = output.paint;
  await output.list(steered, [
    { title: "JOB", cell: ({ id }) => id },
    {
      title: "ANSWER",
      cell: ({ answer }) => answer,
      paint: (text, one) => (meaningOf(one).exit === "done" ? green(text) : yellow(text)),
    },
    {
      title: "",
      cell: (one) => `${meaningOf(one).sentence}${inTheWay(one)}`,
      isElastic: true,
    },
  ]);
  const exits = new Set(steered.map((one) => meaningOf(one).exit));
  if (exits.has("done")) return exitCode(exits.size === 1 ? "done" : "partlyDone");
  return exitCode([...exits][0] ?? "done");
}

/** The end of a sentence that names what is in the way. */
function inTheWay({ twinId, status }: Steered): string {
  if (twinId) return ` ${twinId}`;
  return status === undefined ? "" : ` ${status}.`;
}
