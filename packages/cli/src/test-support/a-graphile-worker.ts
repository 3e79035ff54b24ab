import { Logger, makeWorkerUtils, type WorkerUtils } from "graphile-worker";
import { onTestFinished } from "vitest";

/** It says nothing. */
export const silent = new Logger(() => () => {});

/** A real graphile-worker without a worker, made if it is not there; it ends with the test. */
export async function aGraphileWorker(url: string): Promise<WorkerUtils> {
  const utils = await makeWorkerUtils({ connectionString: url, logger: silent });
  onTestFinished(async () => await utils.release());
  await utils.migrate();
  return utils;
}
