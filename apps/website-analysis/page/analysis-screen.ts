import { element } from "@lockstep/app-kit/page/element";
import type { AnalysisView } from "../src/server/analysis-view.ts";
import { analysisApi, type OwnAnalysis } from "./analysis-api.ts";
import { BudgetLine } from "./budget-line.ts";
import { reportView } from "./report-view.ts";
import { dateText, type Screen } from "./screen.ts";
import { shareView } from "./share-view.ts";
import { stagesView } from "./stages-view.ts";
import { WordsView } from "./words-view.ts";

/** One analysis of one's own: the stages and the answers while it runs, the report when it is done. */
export async function analysisScreen(id: string): Promise<Screen> {
  const first = await analysisApi.analysis(id);
  const state = element("div", { class: "panel", "aria-live": "polite" });
  const words = new WordsView();
  const budget = new BudgetLine();
  const report = element("div", { class: "stack" });
  let isDone = false;
  const draw = async (analysis: OwnAnalysis) => {
    if (isDone) return;
    const { report: found, error, status } = analysis;
    isDone = ["completed", "failed", "cancelled"].includes(status);
    state.hidden = found !== null;
    state.replaceChildren(
      stagesView(isDone ? [] : await analysisApi.pools(), analysis),
      ...waitText(analysis),
    );
    await budget.update();
    if (isDone) words.close();
    else if (status === "model-analysis") words.follow(id);
    if (found !== null)
      report.replaceChildren(...reportActions(analysis), ...reportView(found), shareView(analysis));
    else if (error !== null && status === "failed") report.replaceChildren(failure(error));
  };
  await draw(first);
  return {
    title: first.report?.title ?? first.url,
    content: [heading(first), budget.element, state, words.element, report],
    update: async () => {
      if (isDone) return;
      const analysis = await analysisApi.analysis(id);
      await draw(analysis);
      const title = analysis.report?.title ?? null;
      if (title !== null) document.querySelector("main h1")?.replaceChildren(title);
    },
    close: () => words.close(),
  };
}

/** A report that somebody shared: to read and to keep, nothing else. */
export async function sharedScreen(token: string): Promise<Screen> {
  const analysis = await analysisApi.shared(token);
  const { report, url } = analysis;
  return {
    title: report?.title ?? url,
    content: [
      heading(analysis),
      element("p", { class: "quiet" }, "Somebody shared this report with you."),
      ...(report === null
        ? []
        : [downloads(`/app/shared/${encodeURIComponent(token)}`), ...reportView(report)]),
    ],
  };
}

function heading({ url, report, finishedAt, createdAt }: AnalysisView): HTMLElement {
  return element(
    "header",
    {},
    element("h1", { class: "title clipped" }, report?.title ?? new URL(url).host),
    element("p", { class: "quiet clipped" }, `${url} · ${dateText(finishedAt ?? createdAt)}`),
  );
}

function waitText({ waitsFor, retryCount, error, status }: AnalysisView): HTMLElement[] {
  if (status === "failed") return [];
  const tried = retryCount > 0 && error !== null ? `The last attempt failed: ${error}` : "";
  const text = [waitsFor ?? "", tried].filter((sentence) => sentence !== "").join(" ");
  return text === "" ? [] : [element("p", { class: "quiet" }, text)];
}

function reportActions(analysis: OwnAnalysis): HTMLElement[] {
  const again = element("button", { type: "button" }, "Analyse again");
  const refusal = element("p", { class: "trouble", role: "alert" });
  again.onclick = () => {
    analysisApi.add(analysis.url).then(
      ({ id }) => {
        location.hash = `#/analysis/${id}`;
      },
      (error: unknown) => {
        refusal.textContent = error instanceof Error ? error.message : String(error);
      },
    );
  };
  const row = downloads(`/app/analysis-jobs/${analysis.id}`);
  row.append(again);
  void earlierRun(analysis).then((link) => link !== null && row.append(link));
  return [row, refusal];
}

function downloads(path: string): HTMLElement {
  return element(
    "div",
    { class: "row" },
    element("a", { class: "button", href: `${path}/report.md`, download: "" }, "Download Markdown"),
    element("a", { class: "button", href: `${path}/report.json`, download: "" }, "Download JSON"),
  );
}

async function earlierRun({ id, url, createdAt }: AnalysisView): Promise<HTMLElement | null> {
  const { jobs } = await analysisApi.list();
  const before = jobs.find(
    (job) => job.id !== id && job.url === url && job.status === "completed" && job.createdAt < createdAt,
  );
  if (before === undefined) return null;
  return element(
    "a",
    { class: "button", href: `#/compare/${before.id}/${id}` },
    "Compare with the run before",
  );
}

function failure(error: string): HTMLElement {
  return element(
    "section",
    { class: "panel" },
    element("h2", {}, "It could not be analysed"),
    element("p", { class: "trouble" }, error),
    element("div", { class: "row" }, element("a", { class: "button", href: "#/" }, "Try another address")),
  );
}
