import { element } from "@lockstep/app-kit/page/element";
import type { AnswerWords } from "../src/server/question-words.ts";

const titles: Readonly<Record<string, string>> = {
  ...{ offer: "Offer", audience: "Audience", tone: "Tone", strengths: "Strengths" },
  ...{ weaknesses: "Weaknesses", seo: "Search engines", competitors: "Competitors" },
};

/** The answers while they are written, word by word. */
export class WordsView {
  readonly element = element("section", { class: "stack", "aria-labelledby": "words-title" });
  readonly #answers = new Map<
    string,
    { readonly panel: HTMLElement; readonly text: HTMLElement; pieces: string[] }
  >();
  #source: EventSource | null = null;

  constructor() {
    this.element.hidden = true;
    const columns = element("div", { class: "columns" });
    for (const [question, title] of Object.entries(titles)) {
      const text = element("p", { class: "words" });
      const panel = element(
        "div",
        { class: "panel", "data-words": question },
        element("h3", {}, title),
        text,
      );
      panel.hidden = true;
      columns.append(panel);
      this.#answers.set(question, { panel, text, pieces: [] });
    }
    this.element.append(element("h2", { id: "words-title" }, "What is found so far"), columns);
  }

  /** Shows the answers of an analysis from now on. May be called again: it follows once. */
  follow(id: string): void {
    if (this.#source !== null) return;
    const source = new EventSource(`/app/analysis-jobs/${encodeURIComponent(id)}/words`);
    this.#source = source;
    // Also after a break, when the server begins at the beginning.
    source.onopen = () => {
      for (const question of this.#answers.keys()) this.#show(question, []);
    };
    source.addEventListener("answer", ({ data }) => {
      const told: AnswerWords = JSON.parse(data);
      const pieces = this.#answers.get(told.question)?.pieces ?? [];
      this.#show(told.question, "keep" in told ? pieces.slice(0, told.keep) : [...pieces, told.words]);
    });
    source.addEventListener("end", () => source.close());
  }

  /** Nobody looks any more. */
  close(): void {
    this.#source?.close();
    this.element.hidden = true;
  }

  #show(question: string, pieces: string[]): void {
    const answer = this.#answers.get(question);
    if (answer === undefined) return;
    answer.pieces = pieces;
    answer.text.textContent = pieces.join("");
    answer.panel.hidden = pieces.length === 0;
    this.element.hidden = [...this.#answers.values()].every(({ panel }) => panel.hidden);
  }
}
