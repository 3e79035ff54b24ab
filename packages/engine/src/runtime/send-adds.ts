import type { Clock } from "../clock.ts";
import type { Added } from "../jobs/job.ts";
import type { EncodedJob } from "../store/add-jobs.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";

// Sent again with the same ids, an add cannot happen twice.
const resendAfterMs = [100, 500, 1_500];

/** Sends adds until they are answered, a few times; `send` is told whether it is for the first time. */
export async function sendAdds(
  clock: Pick<Clock, "sleep">,
  jobs: readonly EncodedJob[],
  send: (isResent: boolean) => Promise<Added[]>,
): Promise<Added[]> {
  for (let resends = 0; ; resends += 1) {
    try {
      const added = await send(resends > 0);
      // Under an id that was drawn here nobody else can have added it: the first sending did.
      return resends > 0
        ? added.map((one, index) => (isOurs(one, jobs[index]) ? { ...one, created: true } : one))
        : added;
    } catch (error) {
      const waitMs = resendAfterMs[resends];
      if (!(error instanceof DatabaseUnavailableError) || error.isFinal || waitMs === undefined) throw error;
      await clock.sleep(waitMs);
    }
  }
}

function isOurs(added: Added, job: EncodedJob | undefined): boolean {
  return job?.isIdOurs === true && job.id === added.id;
}
