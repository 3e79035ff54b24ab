import { formatFull, formatNumber } from "../format/number.ts";

export interface Count {
  readonly value: number;
  readonly exact: boolean;
  readonly capped: boolean;
}

/** "324", "1.2M", "10,000+": a count that was cut says so. */
export function CountLabel({ count }: { readonly count: Count }) {
  return <span title={formatFull(count.value)}>{countText(count)}</span>;
}

export function countText({ value, capped }: Count): string {
  // A cap counts to one more than it shows.
  if (!capped) return formatNumber(value);
  return `${formatFull(value % 10 === 1 ? value - 1 : value)}+`;
}
