import { element } from "@lockstep/app-kit/page/element";
import type { AnalysisView, StageView } from "../src/server/analysis-view.ts";
import type { StagePool } from "../src/server/stage-pools.ts";

const titles: Record<StageView["name"], { readonly title: string; readonly does: string }> = {
  "website-analysis": { title: "1. Read the page", does: "fetches the page and notes what is on it" },
  "prompt-forming": { title: "2. Form the questions", does: "makes seven questions of it" },
  "model-analysis": { title: "3. Answer them", does: "answers the questions side by side" },
};
const states: Record<StageView["state"], string> = {
  ...{ waiting: "waiting", running: "running", done: "done", failed: "failed", "not-reached": "to come" },
};
const badges: Record<StageView["state"], string> = {
  ...{
    waiting: "waiting",
    running: "running",
    done: "completed",
    failed: "failed",
    "not-reached": "waiting",
  },
};

/** The three stages: the queue and the pool of each, and where an analysis is if there is one. */
export function stagesView(pools: readonly StagePool[], analysis: AnalysisView | null): HTMLElement {
  const entries = (Object.keys(titles) as StageView["name"][]).map((name) => {
    const pool = pools.find(({ stage }) => stage === name);
    const stage = analysis?.stages.find((one) => one.name === name);
    return element(
      "li",
      { class: "stage", "data-stage": name },
      element("div", { class: "row" }, element("strong", {}, titles[name].title), ...badgeOf(stage)),
      ...(stage === undefined
        ? [element("p", { class: "quiet" }, `It ${titles[name].does}.`)]
        : [meter(stage)]),
      ...noteOf(stage, analysis),
      ...(pool === undefined ? [] : poolView(pool)),
    );
  });
  return element("ol", { class: "stages" }, ...entries);
}

function badgeOf(stage: StageView | undefined): HTMLElement[] {
  if (stage === undefined) return [];
  return [element("span", { class: "badge", "data-state": badges[stage.state] }, states[stage.state])];
}

function meter({ percent }: StageView): HTMLElement {
  const filled = element("i");
  filled.style.width = `${percent}%`;
  const attributes = { role: "progressbar", "aria-label": "Progress of this stage", "aria-valuemin": "0" };
  return element(
    "div",
    { class: "meter", ...attributes, "aria-valuemax": "100", "aria-valuenow": String(Math.round(percent)) },
    filled,
  );
}

function noteOf(stage: StageView | undefined, analysis: AnalysisView | null): HTMLElement[] {
  if (stage?.state === "running") return [element("p", { class: "quiet" }, stage.note ?? "at work")];
  if (stage?.state !== "waiting" || analysis === null) return [];
  const { ahead } = analysis;
  const place = ahead === null || ahead === 0 ? "next in the queue" : `place ${ahead + 1} in the queue`;
  return [element("p", { class: "quiet" }, place)];
}

function poolView({ processors, busy, waiting }: StagePool): HTMLElement[] {
  // Ten fit on every screen: each is a processor, or stands for several.
  const count = Math.min(processors, 10);
  const filled = processors === 0 ? 0 : Math.ceil((busy * count) / processors);
  const dots = Array.from({ length: count }, (_none, index) =>
    element("i", index < filled ? { class: "busy" } : {}),
  );
  const pool =
    processors === 0
      ? "no worker is running"
      : `${Math.min(busy, processors)} of ${processors} processors busy, ${waiting} waiting`;
  return [
    element("div", { class: "pool", "aria-hidden": "true" }, ...dots),
    element("p", { class: "quiet" }, pool),
  ];
}
