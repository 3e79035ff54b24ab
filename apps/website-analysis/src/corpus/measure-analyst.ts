import { readFile } from "node:fs/promises";
import { pageFacts } from "../services/facts/page-facts.ts";
import { type PageStudy, pageStudy } from "../services/local-analyst/page-study.ts";
import type { PageLabel } from "./page-label.ts";

export const statementKinds = [
  ...(["kind", "offers", "audience", "tone", "strengths", "weaknesses", "searches"] as const),
] as const;
export type StatementKind = (typeof statementKinds)[number];

/** One thing that was said or should have been. */
export interface Judged {
  readonly page: string;
  readonly kind: StatementKind;
  readonly text: string;
  readonly verdict: "right" | "wrong" | "missed";
  /** Null for what was missed. */
  readonly confidence: "high" | "medium" | null;
}

/** Compares what the local analyst says of each page with its label. */
export async function measureAnalyst(labels: readonly PageLabel[]): Promise<Judged[]> {
  return (await Promise.all(labels.map(judgedPage))).flat();
}

async function judgedPage(label: PageLabel): Promise<Judged[]> {
  const html = await readFile(new URL(`./${label.page}.html`, import.meta.url), "utf8");
  const study = pageStudy(pageFacts({ url: "https://site.example/", headers: {}, html }));
  return statementKinds.flatMap((kind) => judged(label, kind, study));
}

function judged(label: PageLabel, kind: StatementKind, study: PageStudy): Judged[] {
  const said = kind === "kind" ? (study.kind === null ? [] : [study.kind]) : study[kind];
  const wanted = [label[kind] ?? []].flat().map(wordings);
  const found = new Set<number>();
  const spoken = said.map(({ id, confidence }): Judged => {
    const at = wanted.findIndex(({ either }) => either.includes(plain(id)));
    found.add(at);
    return { page: label.page, kind, text: id, verdict: at < 0 ? "wrong" : "right", confidence };
  });
  const missed = wanted.filter(({ isOptional }, at) => !isOptional && !found.has(at));
  return [
    ...spoken,
    ...missed.map(({ either }): Judged => {
      return { page: label.page, kind, text: either[0] ?? "", verdict: "missed", confidence: null };
    }),
  ];
}

function wordings(entry: string): { either: string[]; isOptional: boolean } {
  return { either: entry.replace(/^\?/, "").split("|").map(plain), isOptional: entry.startsWith("?") };
}

function plain(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, " ");
}

export interface Score {
  readonly said: number;
  readonly precision: number;
  readonly recall: number;
}

export function scoreOf(judged: readonly Judged[]): Score {
  const count = (verdict: Judged["verdict"]) => judged.filter((one) => one.verdict === verdict).length;
  const [right, wrong, missed] = [count("right"), count("wrong"), count("missed")];
  return {
    said: right + wrong,
    precision: right + wrong === 0 ? 1 : right / (right + wrong),
    recall: right + missed === 0 ? 1 : right / (right + missed),
  };
}
