import { element } from "@lockstep/app-kit/page/element";
import { counted } from "../src/report/counted.ts";
import type { Report } from "../src/report/report.ts";
import { thingLines } from "../src/report/thing-lines.ts";
import type { AnalysisAnswer, AnswerPoint } from "../src/services/asking/analysis-answer.ts";

/** The report as it is read: what it is first, what to do about it next, everything else folded away. */
export function reportView(report: Report): HTMLElement[] {
  const { answers } = report;
  return [
    element(
      "section",
      { class: "panel" },
      element("h2", {}, "Summary"),
      element("p", {}, answers.offer?.summary ?? "This question was not asked."),
      element("p", { class: "quiet" }, factsLine(report)),
      element("p", { class: "quiet" }, analystLine(report)),
    ),
    element(
      "div",
      { class: "columns" },
      ...answerPanel("Offer", answers.offer, false),
      ...answerPanel("Audience", answers.audience),
      ...answerPanel("Tone", answers.tone, false),
      ...answerPanel("Strengths", answers.strengths, false),
      ...answerPanel("Weaknesses", answers.weaknesses),
      ...answerPanel("Competitors", answers.competitors),
    ),
    ...seoPanel(answers.seo),
    ...thingsPanel(report),
    ...technologiesPanel(report),
    ...linksPanel(report),
    ...previewPanel(report),
  ];
}

function factsLine({ wordCount, language, links, sizeBytes, redirects, isScriptShell }: Report): string {
  const size = sizeBytes < 10_240 ? `${sizeBytes} bytes` : `${Math.round(sizeBytes / 1_024)} KiB`;
  return [
    counted(wordCount, "word"),
    `language: ${language ?? "not declared"}`,
    `${links.internal + links.external} links`,
    size,
    ...(redirects.length > 0 ? [`${redirects.length} redirects`] : []),
    ...(isScriptShell ? ["made by scripts"] : []),
  ].join(" · ");
}

function analystLine({ analysedBy, usage }: Report): string {
  if (analysedBy.kind === "local")
    return "By the local analyst, which says only what it can quote from the page; no model was asked.";
  const cost = usage.costUsd === null ? "" : `, ${usage.costUsd.toFixed(4)} US dollars`;
  return `By ${analysedBy.provider} ${analysedBy.model}: ${usage.inputTokens + usage.outputTokens} tokens${cost}.`;
}

function answerPanel(title: string, answer: AnalysisAnswer | undefined, withSummary = true): HTMLElement[] {
  if (answer === undefined) return [];
  const isSaid = withSummary || answer.points.length === 0;
  return [
    element(
      "section",
      { class: "panel", "data-part": title.toLowerCase() },
      element(
        "div",
        { class: "row" },
        element("h2", {}, title),
        element(
          "span",
          { class: "badge", "data-state": answer.confidence },
          `confidence: ${answer.confidence}`,
        ),
      ),
      ...(isSaid ? [element("p", {}, nothingOr(title, answer))] : []),
      ...pointList(answer.points),
    ),
  ];
}

function nothingOr(title: string, { summary, points }: AnalysisAnswer): string {
  // The summary of the offer is the whole page's, and stands above.
  return title === "Offer" && points.length === 0
    ? "It does not say in a list or a plain sentence what it offers."
    : summary;
}

function pointList(points: readonly AnswerPoint[]): HTMLElement[] {
  if (points.length === 0) return [];
  const hasMixed = new Set(points.map(({ confidence }) => confidence)).size > 1;
  return [
    element(
      "ul",
      { class: "points" },
      ...points.map(({ text, evidence, confidence }) =>
        element(
          "li",
          {},
          element(
            "div",
            { class: "row" },
            element("span", {}, text),
            ...(hasMixed && confidence !== null
              ? [element("span", { class: "badge", "data-state": confidence }, confidence)]
              : []),
          ),
          ...quoteOf(evidence),
        ),
      ),
    ),
  ];
}

function quoteOf(evidence: string | null): HTMLElement[] {
  return evidence === null ? [] : [element("blockquote", { class: "quote clipped" }, evidence)];
}

function seoPanel(answer: AnalysisAnswer | undefined): HTMLElement[] {
  if (answer === undefined) return [];
  const good = answer.points.filter(({ text }) => text.startsWith("Good: "));
  const rest = answer.points.filter((point) => !good.includes(point));
  const list = (points: readonly AnswerPoint[]) =>
    element(
      "ul",
      { class: "points" },
      ...points.map(({ text, evidence }) => {
        const [, state, finding = text] = /^(Good|To do): (.*)$/s.exec(text) ?? [];
        const badge = state === undefined ? [] : [badgeOf(state)];
        return element(
          "li",
          {},
          element("div", { class: "row" }, element("span", {}, finding), ...badge),
          ...quoteOf(evidence),
        );
      }),
    );
  return [
    element(
      "section",
      { class: "panel", "data-part": "seo" },
      element("h2", {}, "Search engines"),
      element("p", {}, answer.summary),
      ...(rest.length > 0 ? [list(rest)] : []),
      ...(good.length > 0 ? [folded(`${good.length} checks that hold`, list(good))] : []),
    ),
  ];
}

function badgeOf(state: string): HTMLElement {
  const name = state === "Good" ? "good" : "to-do";
  return element("span", { class: "badge", "data-state": name }, state.toLowerCase());
}

function thingsPanel({ things }: Report): HTMLElement[] {
  if (things.length === 0) return [];
  const cards = things.map((thing) => {
    const { label, lines } = thingLines(thing);
    const pairs = lines.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
    return element(
      "article",
      { class: "thing" },
      element("p", { class: "quiet" }, label === thing.type ? label : `${label} (${thing.type})`),
      element("h3", {}, thing.name),
      ...(pairs.length > 0 ? [element("dl", {}, ...pairs)] : []),
    );
  });
  const title = element("h2", {}, "What its structured data names");
  return [
    element(
      "section",
      { class: "panel", "data-part": "things" },
      title,
      element("div", { class: "things" }, ...cards),
    ),
  ];
}

function technologiesPanel({ technologies }: Report): HTMLElement[] {
  if (technologies.length === 0) return [];
  const entries = technologies.map(({ name, evidence }) =>
    element("li", {}, name, " ", element("span", { class: "quiet" }, evidence)),
  );
  return [
    element("section", { class: "panel" }, element("h2", {}, "Technologies"), element("ul", {}, ...entries)),
  ];
}

function linksPanel({ links }: Report): HTMLElement[] {
  if (links.list.length === 0) return [];
  const entries = links.list.map(({ url, text, isInternal }) =>
    element(
      "li",
      {},
      element("a", { href: url, rel: "noreferrer nofollow" }, text || url),
      " ",
      element("span", { class: "quiet" }, isInternal ? "within the site" : url),
    ),
  );
  const title = `Links: ${links.internal} within the site, ${links.external} to others`;
  return [element("section", { class: "panel" }, folded(title, element("ul", {}, ...entries)))];
}

function previewPanel({ preview, isPreviewCut }: Report): HTMLElement[] {
  if (preview === "") return [];
  // With a tab stop: what scrolls must be reachable by keyboard.
  const attributes = { class: "preview", tabindex: "0", role: "region", "aria-label": "Text of the page" };
  const text = element("div", attributes, isPreviewCut ? `${preview} …` : preview);
  return [element("section", { class: "panel" }, folded("Text of the page", text))];
}

function folded(title: string, content: HTMLElement): HTMLElement {
  return element("details", {}, element("summary", {}, title), content);
}
