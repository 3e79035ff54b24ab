import type { Language } from "./languages.ts";
import { warningsOf } from "./page-warnings.ts";

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

/** Row by row. */
export interface Table {
  readonly box: Box;
  readonly rows: readonly (readonly TableCell[])[];
}

export interface TableCell {
  /** Empty for a cell without words. */
  readonly text: string;
  /** Of its least certain word; 100 for a cell without words. */
  readonly confidence: number;
  readonly box: Box | null;
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
  /** What it is written in, or was read as; null where a text layer has too little text to tell. */
  readonly language: Language | null;
  readonly words: readonly Word[];
  /** Line by line, in reading order. */
  readonly text: string;
  /** The mean of its words, 0 to 100; 0 for a page without words. */
  readonly confidence: number;
  readonly tables: readonly Table[];
  /** Where there is ink that could not be read: letters that are too faint, stamps, handwriting, pictures. */
  readonly unread: readonly Box[];
  /** What a reader should look at, one sentence each. */
  readonly warnings: readonly string[];
}

/** A page on which nothing was found but words. */
export const plainPage = {
  rotationDegrees: 0,
  skewDegrees: 0,
  language: null,
  tables: [],
  unread: [],
} as const;

/** What a page says, put together from the words of its lines. */
export function pageTextOf(
  lines: readonly (readonly Word[])[],
  page: Omit<PageText, "words" | "text" | "confidence" | "warnings">,
): PageText {
  const words = lines.flat();
  const sum = words.reduce((total, { confidence }) => total + confidence, 0);
  const confidence = words.length === 0 ? 0 : round(sum / words.length);
  return {
    ...page,
    words,
    text: lines.map((line) => line.map(({ text }) => text).join(" ")).join("\n"),
    confidence,
    warnings: warningsOf({ ...page, words, confidence }),
  };
}

/** Two decimals are finer than any screen or printer, and half the size of what arithmetic gives. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Whether the middle of the word lies in the box. */
export function isInside({ box }: Word, area: Box): boolean {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x >= area.x && x <= area.x + area.width && y >= area.y && y <= area.y + area.height;
}
