/** The words of a filter; quotes keep a word together. What a word means, the server says. */
export function filterWords(filter: string): string[] {
  return filter.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
}

export function withoutWord(filter: string, index: number): string {
  return filterWords(filter)
    .filter((_, each) => each !== index)
    .join(" ");
}

/** With a qualifier replaced: `pipeline:a since:1h` with since 24h is `pipeline:a since:24h`. */
export function withQualifier(filter: string, name: string, value: string | null): string {
  const rest = filterWords(filter).filter((word) => !word.startsWith(`${name}:`));
  return [...rest, ...(value === null ? [] : [`${name}:${quoted(value)}`])].join(" ");
}

export function qualifier(filter: string, name: string): string | null {
  const word = filterWords(filter).find((each) => each.startsWith(`${name}:`));
  return word === undefined ? null : word.slice(name.length + 1).replace(/^"(.*)"$/, "$1");
}

function quoted(value: string): string {
  return /[\s"]/.test(value) ? JSON.stringify(value) : value;
}

export interface Suggestion {
  /** What the last word becomes. */
  readonly word: string;
  readonly hint: string;
}

export interface Known {
  readonly pipelines: readonly {
    readonly name: string;
    readonly stages: readonly { readonly name: string }[];
  }[];
}

const qualifiers: [name: string, hint: string][] = [
  ["pipeline", "one pipeline"],
  ["stage", "one stage"],
  ["since", "added since: 1h, 24h, 7d"],
  ["owner", "one owner"],
  ["tag", "one tag"],
  ["until", "added before: 24h, 2026-03-01"],
  ["dedupKey", "a dedup key"],
  ["groupKey", "a group key"],
  ["worker", "the id of a worker that holds it"],
  ["batch", "the id of a batch"],
  ["error", "a fingerprint of the errors page"],
  ["payload.", "a field of the payload: payload.doc:contract.pdf"],
];

/** What the word being typed may become. */
export function suggestionsFor(typed: string, filter: string, { pipelines }: Known): Suggestion[] {
  const [name = "", value] = typed.split(/:(.*)/s);
  if (value === undefined) {
    return qualifiers
      .filter(([each]) => each.startsWith(name))
      .map(([each, hint]) => ({ word: each.endsWith(".") ? each : `${each}:`, hint }));
  }
  return valuesOf(name, filter, pipelines)
    .filter((each) => each.startsWith(value) && each !== value)
    .slice(0, 12)
    .map((each) => ({ word: `${name}:${quoted(each)}`, hint: "" }));
}

function valuesOf(name: string, filter: string, pipelines: Known["pipelines"]): string[] {
  if (name === "pipeline") return pipelines.map((each) => each.name);
  if (name === "since") return ["15m", "1h", "6h", "24h", "7d"];
  if (name !== "stage") return [];
  const within = qualifier(filter, "pipeline");
  const stages = pipelines
    .filter((each) => within === null || each.name === within)
    .flatMap((each) => each.stages);
  return [...new Set(stages.map((stage) => stage.name))];
}
