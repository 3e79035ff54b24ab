import { element } from "@lockstep/app-kit/page/element";
import { analysisApi } from "./analysis-api.ts";
import { BudgetLine } from "./budget-line.ts";
import { HistoryView } from "./history-view.ts";
import type { Screen } from "./screen.ts";
import { stagesView } from "./stages-view.ts";

/** Where one begins: an address, the stages it will go through, and what one has had analysed. */
export async function homeScreen(): Promise<Screen> {
  const history = new HistoryView();
  const stages = element("div");
  const budget = new BudgetLine();
  const update = async () => {
    const [pools, { jobs, keepCompletedDays }] = await Promise.all([analysisApi.pools(), analysisApi.list()]);
    stages.replaceChildren(stagesView(pools, null));
    history.show(jobs, keepCompletedDays);
    await budget.update();
  };
  await update();
  return {
    title: "Website analysis",
    content: [
      element(
        "section",
        { class: "panel" },
        element("h1", { class: "title" }, "What does this page say?"),
        element(
          "p",
          { class: "quiet" },
          "What it offers, for whom and in which tone; what is good, what is missing, and what search engines make of it.",
        ),
        askForm(),
        budget.element,
      ),
      element("section", { class: "panel" }, element("h2", {}, "How it is done"), stages),
      history.element,
    ],
    update,
  };
}

export function askForm(): HTMLFormElement {
  const input = element("input", {
    ...{ id: "address", type: "text", inputmode: "url", autocomplete: "url", spellcheck: "false" },
    ...{ placeholder: "https://example.com", required: "", maxlength: "2048", "aria-describedby": "refusal" },
  });
  const button = element("button", { type: "submit", class: "primary" }, "Analyse");
  const refusal = element("p", { id: "refusal", class: "trouble", role: "alert" });
  const form = element(
    "form",
    { class: "ask" },
    element("label", { for: "address" }, "Address of a page"),
    input,
    button,
  );
  form.append(refusal);
  form.onsubmit = (event) => {
    event.preventDefault();
    void ask();
  };
  const ask = async () => {
    button.disabled = true;
    refusal.textContent = "";
    try {
      const { id } = await analysisApi.add(wholeAddress(input.value));
      location.hash = `#/analysis/${id}`;
    } catch (error) {
      refusal.textContent = error instanceof Error ? error.message : String(error);
      input.focus();
    } finally {
      button.disabled = false;
    }
  };
  return form;
}

/** People leave out what a browser adds by itself. */
function wholeAddress(entered: string): string {
  const address = entered.trim();
  return /^[a-z][a-z0-9+.-]*:/i.test(address) && !/^[\w.-]+:\d/.test(address)
    ? address
    : `https://${address}`;
}
