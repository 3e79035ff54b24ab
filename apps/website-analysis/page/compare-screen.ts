import { element } from "@lockstep/app-kit/page/element";
import type { Change, Comparison } from "../src/report/compare-reports.ts";
import type { AnalysisView } from "../src/server/analysis-view.ts";
import { analysisApi } from "./analysis-api.ts";
import { dateText, type Screen } from "./screen.ts";

const titles: Record<Change["part"], string> = {
  offer: "Offer",
  audience: "Audience",
  tone: "Tone",
  strengths: "Strengths",
  weaknesses: "Weaknesses",
  seo: "Search engines",
  competitors: "Competitors",
  headings: "Headings",
  technologies: "Technologies",
  links: "Links",
};

/** Two runs side by side: only what is different. */
export async function compareScreen(beforeId: string, afterId: string): Promise<Screen> {
  const { before, after, comparison } = await analysisApi.compare(beforeId, afterId);
  return {
    title: "Two runs compared",
    content: [
      element(
        "header",
        {},
        element("h1", { class: "title" }, "Two runs compared"),
        runLine("From", before),
        runLine("to", after),
      ),
      ...(comparison.isSame
        ? [element("p", { class: "panel" }, "Nothing has changed between the two.")]
        : [wordsPanel(comparison), ...textPanels(comparison), ...comparison.changes.map(changePanel)]),
    ],
  };
}

function runLine(word: string, { id, url, createdAt }: AnalysisView): HTMLElement {
  const link = element("a", { href: `#/analysis/${id}` }, dateText(createdAt));
  return element("p", { class: "quiet clipped" }, `${word} `, link, ` · ${url}`);
}

function wordsPanel({ words: { before, after } }: Comparison): HTMLElement {
  const more = after - before;
  const text =
    more === 0 ? "as many as before" : `${Math.abs(more)} ${more > 0 ? "more" : "fewer"} than before`;
  return element(
    "section",
    { class: "panel", "data-part": "words" },
    element("h2", {}, "Words on the page"),
    element("p", {}, `${after}, ${text} (${before}).`),
  );
}

function textPanels({ texts }: Comparison): HTMLElement[] {
  return texts.map(({ part, before, after }) =>
    element(
      "section",
      { class: "panel", "data-part": part.toLowerCase() },
      element("h2", {}, part),
      ...line("lost", before),
      ...line("gained", after),
    ),
  );
}

function changePanel({ part, gained, lost }: Change): HTMLElement {
  return element(
    "section",
    { class: "panel", "data-part": part },
    element("h2", {}, titles[part]),
    element(
      "div",
      { class: "points" },
      ...lost.flatMap((text) => line("lost", text)),
      ...gained.flatMap((text) => line("gained", text)),
    ),
  );
}

function line(how: "gained" | "lost", text: string): HTMLElement[] {
  if (text === "") return [];
  const word = how === "gained" ? "new" : "gone";
  return [
    element(
      "p",
      {},
      element("span", { class: `sign ${how}` }, how === "gained" ? "+ " : "− "),
      element("span", { class: "quiet" }, `${word}: `),
      text,
    ),
  ];
}
