export interface Span {
  readonly worker: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** While two or more documents were unfinished: the share of that time in which two workers had one. */
export function bothBusy(documents: readonly (readonly Span[])[]): number {
  const spans = documents.flat();
  const begunMs = Math.min(...spans.map(({ fromMs }) => fromMs));
  const ends = documents.map((stages) => Math.max(...stages.map(({ toMs }) => toMs))).sort((a, b) => a - b);
  // The last document is one worker's, whoever else is there.
  const lastAloneMs = ends.at(-2) ?? begunMs;
  const moments = [...new Set(spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))]
    .concat(lastAloneMs)
    .filter((ms) => ms <= lastAloneMs)
    .sort((a, b) => a - b);
  let busyMs = 0;
  moments.slice(1).forEach((toMs, index) => {
    const fromMs = moments[index] ?? toMs;
    const here = spans.filter((span) => span.fromMs <= fromMs && span.toMs >= toMs);
    if (new Set(here.map(({ worker }) => worker)).size >= 2) busyMs += toMs - fromMs;
  });
  return lastAloneMs === begunMs ? 1 : busyMs / (lastAloneMs - begunMs);
}
