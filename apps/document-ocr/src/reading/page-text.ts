/** In points (1/72 inch) of the page as it is shown, from its upper left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Word {
  readonly text: string;
  /** 0 to 100; words of a text layer have 100. */
  readonly confidence: number;
  readonly box: Box;
  /** How it stands in its line, for a word that was seen in a picture; a text layer keeps this to itself. */
  readonly baseline?: Baseline;
}

/** The line that a word stands on, from where it begins, in points of the page as it is shown. */
export interface Baseline {
  readonly x: number;
  readonly y: number;
  /** Which way the word runs, clockwise from level: 0 to 360. */
  readonly degrees: number;
  readonly length: number;
  /** Of its font: the same for all words of a line. */
  readonly size: number;
}

/** What one page says. Plain JSON, so that it can be kept between tries and sent between processes. */
export interface PageText {
  /** From 1. */
  readonly page: number;
  readonly source: "text-layer" | "ocr" | "model";
  /** Of the page as it is shown, a quarter turn of the file's own included. */
  readonly widthPoints: number;
  readonly heightPoints: number;
  /** How far the lines are turned clockwise on the page as it is shown: 0, 90, 180 or 270. */
  readonly rotationDegrees: number;
  /** How far the lines lie askew beyond that, clockwise; 0 for a text layer. */
  readonly skewDegrees: number;
  readonly words: readonly Word[];
  /** Line by line, in reading order. */
  readonly text: string;
  /** The mean of its words, 0 to 100; 0 for a page without words. */
  readonly confidence: number;
}

/** What a page says, put together from the words of its lines. */
export function pageTextOf(
  lines: readonly (readonly Word[])[],
  page: Omit<PageText, "words" | "text" | "confidence">,
): PageText {
  const words = lines.flat();
  const sum = words.reduce((total, { confidence }) => total + confidence, 0);
  return {
    ...page,
    words,
    text: lines.map((line) => line.map(({ text }) => text).join(" ")).join("\n"),
    confidence: words.length === 0 ? 0 : round(sum / words.length),
  };
}

/** Two decimals are finer than any screen or printer, and half the size of what arithmetic gives. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
