export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly kind: "bars" | "line" | "dashes";
  /** A class that sets the text colour; the chart draws in it. */
  readonly colour: string;
  readonly isHatched?: boolean;
}

/** How high the bars up to here stand together at one time. */
export function stackTop(bars: readonly Series[], index: number): number {
  return bars.reduce((total, { values }) => total + (values[index] ?? 0), 0);
}

export function linesAt(series: readonly Series[], index: number): number[] {
  return series.filter(({ kind }) => kind !== "bars").map(({ values }) => values[index] ?? 0);
}

/** A value in words; a dash where nothing is known. */
export function said(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "–" : format(value);
}
