export type PrometheusType = "gauge" | "counter" | "histogram";

/** What one metric is, as documented. */
export interface PrometheusMetric {
  readonly name: string;
  readonly type: PrometheusType;
  readonly labels: readonly string[];
  readonly help: string;
}

export interface PrometheusSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The parts of a histogram are told apart by the end of their name. */
  readonly suffix?: "_bucket" | "_sum" | "_count";
}

export interface PrometheusFamily {
  readonly metric: PrometheusMetric;
  readonly samples: readonly PrometheusSample[];
}

/** The text format that Prometheus reads, version 0.0.4. A metric without samples is still announced. */
export function prometheusText(families: readonly PrometheusFamily[]): string {
  let text = "";
  for (const { metric, samples } of families) {
    text += `# HELP ${metric.name} ${escapeHelp(metric.help)}\n# TYPE ${metric.name} ${metric.type}\n`;
    for (const { labels, value, suffix = "" } of samples) {
      text += `${metric.name}${suffix}${labelText(labels)} ${numberText(value)}\n`;
    }
  }
  return text;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}

function escapeLabel(value: string): string {
  return escapeHelp(value).replaceAll('"', '\\"');
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
