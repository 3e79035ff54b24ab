const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** In full up to 99,999, compact above: a list of numbers stays readable. */
export function formatNumber(value: number): string {
  return Math.abs(value) > 99_999 ? short.format(value) : whole.format(value);
}

export function formatFull(value: number): string {
  return whole.format(value);
}

const amounts = new Intl.NumberFormat("en", { maximumSignificantDigits: 15 });

/** What is spent or may be: in full, whether it is tokens or cents. */
export function formatAmount(value: number): string {
  return amounts.format(value);
}

/** On an axis: short, with the fractions that small amounts have. */
export function formatTick(value: number): string {
  return Math.abs(value) < 10 ? amounts.format(value) : formatNumber(value);
}

/** A rate keeps one figure behind the point while it is small; what is hardly anything is still not nothing. */
export function formatRate(value: number): string {
  if (value > 0 && value < 0.05) return "< 0.1";
  return value !== 0 && Math.abs(value) < 10 ? value.toFixed(1).replace(/\.0$/, "") : formatNumber(value);
}

export function formatPercent(share: number): string {
  const percent = share * 100;
  return `${percent === 100 || percent === 0 ? percent : percent.toFixed(1)} %`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const kilo = bytes / 1_024;
  return kilo < 1_024 ? `${kilo.toFixed(kilo < 10 ? 1 : 0)} KB` : `${(kilo / 1_024).toFixed(1)} MB`;
}
