import { setTimeout as wait } from "node:timers/promises";
import { PermanentError } from "../native-packages.ts";

/** Stands where an application has its real work: takes its time, and cannot do titles that begin with "fail:". */
export async function simulatedWork(title: string, workMs: number, signal: AbortSignal): Promise<void> {
  await wait(workMs, undefined, { signal });
  if (/^fail:/i.test(title)) throw new PermanentError(`There is no way to process "${title}"`);
}
