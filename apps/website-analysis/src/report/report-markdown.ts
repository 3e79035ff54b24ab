import type { AnalysisAnswer } from "../services/asking/analysis-answer.ts";
import { type QuestionId, questionIds } from "../services/asking/questions.ts";
import { counted } from "./counted.ts";
import type { Report } from "./report.ts";
import { thingLines } from "./thing-lines.ts";

const titles: Record<QuestionId, string> = {
  offer: "Offer",
  audience: "Audience",
  tone: "Tone",
  strengths: "Strengths",
  weaknesses: "Weaknesses",
  seo: "Search engines",
  competitors: "Competitors",
};

/** The report as a file to keep. The page's words are a stranger's: none of them is taken for Markdown. */
export function reportMarkdown(report: Report): string {
  const { analysedBy, technologies, links, things, preview, isPreviewCut } = report;
  const by = analysedBy.kind === "local" ? "the local analyst" : `${analysedBy.provider} ${analysedBy.model}`;
  return [
    `# ${plain(report.title ?? report.url)}`,
    `${plain(report.url)}  \nAnalysed ${report.finishedAt.slice(0, 16).replace("T", " ")} UTC by ${plain(by)}. ${counted(report.wordCount, "word")}, language: ${report.language ?? "not declared"}.`,
    ...questionIds.flatMap((id) => answerParts(titles[id], report.answers[id])),
    ...part(
      "What its structured data names",
      things.map((thing) => {
        const { label, lines } = thingLines(thing);
        return `- **${label}: ${plain(thing.name)}**${lines.map(([name, value]) => `, ${name.toLowerCase()}: ${plain(value)}`).join("")}`;
      }),
    ),
    ...part(
      "Technologies",
      technologies.map(({ name, evidence }) => `- ${plain(name)} (${plain(evidence)})`),
    ),
    ...part(
      `Links (${links.internal} within the site, ${links.external} to others)`,
      links.list.map(({ url, text }) => `- ${plain(text || "without text")}: ${plain(url)}`),
    ),
    ...part(
      "Text of the page",
      preview === ""
        ? []
        : [...preview.split("\n").map((line) => `> ${plain(line)}`), ...(isPreviewCut ? ["> …"] : [])],
    ),
  ]
    .join("\n\n")
    .concat("\n");
}

function answerParts(title: string, answer: AnalysisAnswer | undefined): string[] {
  if (answer === undefined) return [];
  const points = answer.points.map(({ text, evidence, confidence }) => {
    const sure = confidence === null ? "" : ` _(${confidence})_`;
    return `- ${plain(text)}${sure}${evidence === null ? "" : `  \n  ${plain(evidence)}`}`;
  });
  return [
    `## ${title}`,
    `${plain(answer.summary)} _(confidence: ${answer.confidence})_`,
    ...(points.length > 0 ? [points.join("\n")] : []),
  ];
}

function part(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")];
}

function plain(text: string): string {
  return (
    text
      .replace(/\s+/g, " ")
      .trim()
      .replace(/[\\`*_{}[\]<>#|!~&]/g, "\\$&")
      // At the start of a line: lists, and the lines under a text that make it a heading.
      .replace(/^(?:\d+(?=[.)])|(?=[-+=]))/, "$&\\")
  );
}
