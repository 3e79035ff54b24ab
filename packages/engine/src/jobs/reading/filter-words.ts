import { JobFilterError } from "./job-filter.ts";

/** One word of a filter: `qualifier:value`, or a value alone. */
export interface FilterWord {
  /** As it was written. */
  readonly text: string;
  /** At which character of the filter it begins, from 1. */
  readonly at: number;
  readonly qualifier: string | null;
  readonly value: string;
  readonly isQuoted: boolean;
}

/** The words between spaces; a value in double quotes may hold spaces, and \" and \\ in it. */
export function filterWords(text: string): FilterWord[] {
  const words: FilterWord[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const begin = at;
    const qualifier = /^[^\s":]+(?=:)/.exec(text.slice(begin))?.[0] ?? null;
    at += qualifier === null ? 0 : qualifier.length + 1;
    const isQuoted = text.charAt(at) === '"';
    const raw = (isQuoted ? /^"(?:[^"\\]|\\.)*"(?=\s|$)/s : /^[^\s"]*(?=\s|$)/).exec(text.slice(at))?.[0];
    if (raw === undefined) refuseQuotes(text, begin);
    at += raw.length;
    words.push({
      text: text.slice(begin, at),
      at: begin + 1,
      qualifier,
      value: isQuoted ? raw.slice(1, -1).replace(/\\(.)/gs, "$1") : raw,
      isQuoted,
    });
  }
  return words;
}

function refuseQuotes(text: string, begin: number): never {
  const word = text.slice(begin).split(/\s/)[0] ?? "";
  throw new JobFilterError(
    `The quotes of ${word} do not fit: a value in quotes begins after the colon and ends before a space. (at character ${begin + 1} of the filter)`,
    { word, at: begin + 1 },
  );
}
