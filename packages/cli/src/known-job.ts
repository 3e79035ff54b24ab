import type { Job, Reader } from "lockstep";
import { CliError } from "./cli-error.ts";

/** The job of this id; refuses with exit code 4. */
export async function knownJob(reader: Pick<Reader, "job">, id: string): Promise<Job> {
  return (await reader.job(id)) ?? refuseUnknownJob(id);
}

export function refuseUnknownJob(id: string): never {
  throw new CliError({
    exit: "notFound",
    code: "job.not_found",
    message: `There is no job ${id}.`,
    why: "It was never added here, or finished so long ago that its retention is over.",
    advice: "Run `lockstep jobs list` for those there are, and check which database this is.",
  });
}
