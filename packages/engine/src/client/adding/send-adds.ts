import type { Clock } from "../../clock.ts";
import type { Added } from "../../jobs/reading/job.ts";
import type { EncodedJob } from "../../store/adding/add-jobs.ts";
import { throughOutage } from "../schema/through-outage.ts";

/**
 * Sends adds a few times, until they are answered: with the same ids they cannot happen twice. `send` is told whether they
 * were sent before.
 */
export function sendAdds(
  clock: Pick<Clock, "sleep">,
  jobs: readonly EncodedJob[],
  send: (isResent: boolean) => Promise<Added[]>,
  wereSent = false,
): Promise<Added[]> {
  return throughOutage(clock, async (isAgain) => {
    const isResent = wereSent || isAgain;
    const added = await send(isResent);
    // Nobody else can have added a job under an id that was made here: it was added when it was first sent.
    return isResent
      ? added.map((one, index) => (isOurs(one, jobs[index]) ? { ...one, created: true } : one))
      : added;
  });
}

function isOurs(added: Added, job: EncodedJob | undefined): boolean {
  return job?.isIdOurs === true && job.id === added.id;
}
