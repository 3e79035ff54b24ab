/** A question about a site. A changed wording gets a new version, so that a result tells what was asked. */
export interface Question {
  readonly id: QuestionId;
  readonly version: number;
  readonly text: string;
  /** Which parts of the page it is about. */
  readonly parts: readonly PagePart[];
}

export const questionIds = [
  "offer",
  "audience",
  "tone",
  "strengths",
  "weaknesses",
  "seo",
  "competitors",
] as const;
export type QuestionId = (typeof questionIds)[number];

export type PagePart = "about" | "headings" | "text" | "search" | "technology";

const everything: readonly PagePart[] = ["about", "headings", "text"];

/** All questions, in the order in which they are asked and answered. */
export const questions: readonly Question[] = [
  {
    id: "offer",
    version: 1,
    text: "What does this site offer? Name its products, services or contents as the page itself presents them.",
    parts: everything,
  },
  {
    id: "audience",
    version: 1,
    text: "For whom is this site made? Describe its audience, and which words of the page show it.",
    parts: everything,
  },
  {
    id: "tone",
    version: 1,
    text: "Which tone does this site take with its readers? Judge how formal, technical, warm and pressing it is.",
    parts: ["about", "text"],
  },
  {
    id: "strengths",
    version: 1,
    text: "What does this page do well, in content, clarity and construction? Name the strongest points first.",
    parts: [...everything, "technology"],
  },
  {
    id: "weaknesses",
    version: 1,
    text: "What does this page do badly or leave out? Name what would gain most by being changed first.",
    parts: [...everything, "technology"],
  },
  {
    id: "seo",
    version: 1,
    text: "How well can search engines find and understand this page? Judge title, description, headings, text, links and structured data, and say what to change.",
    parts: ["about", "headings", "search"],
  },
  {
    id: "competitors",
    version: 1,
    text: "Which kinds of competitors should the owner look at? Give what to search for to find them; invent no names.",
    parts: everything,
  },
];
