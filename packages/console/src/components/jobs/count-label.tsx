import { formatFull, formatNumber } from "../../format/number.ts";
import { text } from "../../text/text.ts";

export interface Count {
  readonly value: number;
  readonly exact: boolean;
  readonly capped: boolean;
}

/** "324", "1.2M", "10,000+": a count that was cut says so. */
export function CountLabel({ count }: { readonly count: Count }) {
  return <span title={formatFull(count.value)}>{countText(count)}</span>;
}

export function countText({ value, exact, capped }: Count): string {
  // A cap counts to one more than it shows.
  if (capped) return `${formatFull(value % 10 === 1 ? value - 1 : value)}+`;
  return `${formatNumber(value)}${exact ? "" : "+"}`;
}

/** The same in a sentence. */
export function countOfJobs(count: Count): string {
  if (count.capped) return text.bulk.jobsCount(countText(count));
  return count.exact ? text.common.jobs(count.value) : text.bulk.atLeast(text.common.jobs(count.value));
}
