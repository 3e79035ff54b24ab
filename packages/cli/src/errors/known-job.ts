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
    why: "It was never added here, or it finished so long ago that it was deleted.",
    advice: "Run `lockstep jobs list` to list the jobs, and check that this is the right database.",
  });
}
