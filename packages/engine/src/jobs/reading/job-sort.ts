import { didYouMean } from "../values/nearest-name.ts";
import { JobFilterError } from "./job-filter.ts";

/** The orders of a list: each is that of an index. Newest first is `-id`. */
export const jobSorts = ["-id", "-finishedAt", "scheduledFor", "claimOrder", "claimedAt"] as const;

/** The order of a list of jobs; `-id` is newest first. */
export type JobSort = (typeof jobSorts)[number];

/** Which statuses go with an order is for the database to say. */
export function checkedJobSort(sort: string): JobSort {
  const known = jobSorts.find((one) => one === sort);
  if (known !== undefined) return known;
  throw new JobFilterError(
    `Jobs cannot be sorted by "${sort}", only by ${jobSorts.join(", ")}.${didYouMean(sort, jobSorts)}`,
  );
}
