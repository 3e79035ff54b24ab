import { element } from "@lockstep/app-kit/page/element";
import type { AnalysisJob } from "../src/server/analysis-view.ts";
import { dateText } from "./screen.ts";

const badges: Partial<Record<AnalysisJob["status"], string>> = { completed: "completed", failed: "failed" };

/** One's analyses, newest first, with a way to pick two. */
export class HistoryView {
  readonly element = element("section", { class: "panel", "aria-labelledby": "history-title" });
  readonly #picked = new Set<string>();
  #drawn = "";

  show(jobs: readonly AnalysisJob[], keepDays: number): void {
    // What has not changed is not drawn again: somebody may be about to press it.
    const drawn = JSON.stringify(jobs);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    for (const id of this.#picked) if (!jobs.some((job) => job.id === id)) this.#picked.delete(id);
    const focused = document.activeElement?.id ?? "";
    this.element.replaceChildren(
      element("h2", { id: "history-title" }, "Your analyses"),
      ...(jobs.length === 0 ? [this.#none()] : this.#list(jobs, keepDays)),
    );
    if (focused.startsWith("pick-")) document.getElementById(focused)?.focus();
  }

  #none(): HTMLElement {
    const text = "None yet. Enter the address of a page above; its report will be kept here, for you alone.";
    return element("p", { class: "quiet" }, text);
  }

  #list(jobs: readonly AnalysisJob[], keepDays: number): HTMLElement[] {
    const compare = element("button", { type: "button" }, "Compare the two");
    const hint = "Pick two finished analyses to compare them.";
    const draw = () => {
      compare.hidden = this.#picked.size !== 2;
    };
    compare.onclick = () => {
      // The older one first: jobs come newest first.
      const [after, before] = jobs.filter(({ id }) => this.#picked.has(id)).map(({ id }) => id);
      location.hash = `#/compare/${before}/${after}`;
    };
    draw();
    return [
      element("ul", { class: "history" }, ...jobs.map((job) => this.#entry(job, draw))),
      element(
        "div",
        { class: "row" },
        compare,
        element("p", { class: "quiet" }, `${hint} Reports are kept for ${keepDays} days.`),
      ),
    ];
  }

  #entry(job: AnalysisJob, draw: () => void): HTMLElement {
    const { id, url, status, createdAt, error, inProgress } = job;
    const pick = element("input", { type: "checkbox", id: `pick-${id}`, "aria-label": `Compare ${url}` });
    pick.disabled = status !== "completed";
    pick.checked = this.#picked.has(id);
    pick.onchange = () => {
      if (pick.checked) this.#picked.add(id);
      else this.#picked.delete(id);
      draw();
    };
    const word = badges[status] ?? (inProgress ? "running" : "waiting");
    return element(
      "li",
      {},
      pick,
      element("a", { href: `#/analysis/${id}`, class: "clipped" }, url),
      element("span", { class: "badge", "data-state": word }, word),
      element(
        "span",
        { class: "quiet clipped" },
        error === null ? dateText(createdAt) : `${dateText(createdAt)}: ${error}`,
      ),
    );
  }
}
