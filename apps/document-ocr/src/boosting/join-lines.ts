import type { Dictionary } from "./dictionary.ts";

/** One line's words after another's: with a space, or as one word if a hyphen divided it. */
export function joinLines(before: string, next: string, dictionary: Dictionary): string {
  const [, head = ""] = /(\p{L}+)[-\u00ad\u2010]$/u.exec(before) ?? [];
  const [tail = ""] = /^\p{Ll}[\p{L}'’]*/u.exec(next) ?? [];
  if (head === "" || tail === "") return `${before} ${next}`;
  const whole = head + tail;
  // "well-" and "known" stay "well-known"; "exam-" and "ple" are one word, and so are two halves nobody knows.
  const isHyphenated = !dictionary.has(whole) && dictionary.has(head) && dictionary.has(tail);
  return isHyphenated ? before.replace(/[\u00ad\u2010]$/, "-") + next : before.slice(0, -1) + next;
}
