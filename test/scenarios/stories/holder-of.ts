import type { Engine, JobId } from "lockstep";
import type { WorkerProcess } from "../processes/worker-process.ts";
import { until } from "./until.ts";

/** Which of two workers runs the job in this stage, and which does not. */
export async function holderOf(
  client: Engine,
  jobId: JobId,
  stage: string,
  workers: readonly [WorkerProcess, WorkerProcess],
): Promise<{ holder: WorkerProcess; other: WorkerProcess }> {
  let holderId: string | null = null;
  await until(`a worker holds job ${jobId} in ${stage}`, async () => {
    const job = await client.get(jobId);
    holderId = job?.stage === stage ? job.workerId : null;
    return holderId !== null;
  });
  const [one, another] = workers;
  const pair = one.workerId === holderId ? { holder: one, other: another } : { holder: another, other: one };
  await pair.holder.events.next("job.started", (event) => event.jobId === jobId && event.stage === stage);
  return pair;
}
