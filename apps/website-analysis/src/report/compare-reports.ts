import type { QuestionId } from "../services/asking/questions.ts";
import { questionIds } from "../services/asking/questions.ts";
import type { Report } from "./report.ts";

/** What is new in a later report, and what is gone from the earlier one. */
export interface Change {
  readonly part: QuestionId | "links" | "technologies" | "headings";
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

export interface Comparison {
  readonly isSame: boolean;
  /** Texts that differ, with both. */
  readonly texts: readonly { readonly part: string; readonly before: string; readonly after: string }[];
  readonly changes: readonly Change[];
  readonly words: { readonly before: number; readonly after: number };
}

/** What has changed from one run to another, of the same page or of two. */
export function compareReports(before: Report, after: Report): Comparison {
  const texts = [
    { part: "Address", before: before.url, after: after.url },
    { part: "Title", before: before.title ?? "none", after: after.title ?? "none" },
    { part: "Description", before: before.description ?? "none", after: after.description ?? "none" },
    {
      part: "Summary",
      before: before.answers.offer?.summary ?? "",
      after: after.answers.offer?.summary ?? "",
    },
  ].filter((text) => text.before !== text.after);
  const points = (report: Report, id: QuestionId) =>
    (report.answers[id]?.points ?? []).map(({ text }) => text);
  const changes = [
    ...questionIds.map((id) => change(id, points(before, id), points(after, id))),
    change(
      "headings",
      before.headings.map(({ text }) => text),
      after.headings.map(({ text }) => text),
    ),
    change(
      "technologies",
      before.technologies.map(({ name }) => name),
      after.technologies.map(({ name }) => name),
    ),
    change(
      "links",
      before.links.list.map(({ url }) => url),
      after.links.list.map(({ url }) => url),
    ),
  ].filter(({ gained, lost }) => gained.length + lost.length > 0);
  const words = { before: before.wordCount, after: after.wordCount };
  return {
    isSame: texts.length + changes.length === 0 && words.before === words.after,
    texts,
    changes,
    words,
  };
}

function change(part: Change["part"], before: readonly string[], after: readonly string[]): Change {
  const [old, young] = [new Set(before), new Set(after)];
  return {
    part,
    gained: [...young].filter((text) => !old.has(text)),
    lost: [...old].filter((text) => !young.has(text)),
  };
}
