import type { Comparison } from "../src/report/compare-reports.ts";
import type { AnalysisJob, AnalysisView } from "../src/server/analysis-view.ts";
import type { StagePool } from "../src/server/stage-pools.ts";
import type { VisitorBudget } from "../src/server/visitor-budget.ts";

export type OwnAnalysis = AnalysisView & { readonly share: string | null };

/** What the server refused, in its own words. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What the page asks of its own server. */
export const analysisApi = {
  add: (url: string) => asked<AnalysisView>("POST", "/analysis-jobs", { url }),
  list: () =>
    asked<{ readonly jobs: readonly AnalysisJob[]; readonly keepCompletedDays: number }>(
      "GET",
      "/analysis-jobs",
    ),
  analysis: (id: string) => asked<OwnAnalysis>("GET", `/analysis-jobs/${encodeURIComponent(id)}`),
  shared: (token: string) => asked<AnalysisView>("GET", `/shared/${encodeURIComponent(token)}`),
  share: (id: string) => asked<{ readonly share: string }>("POST", `/analysis-jobs/${id}/share`),
  takeBack: (id: string) => asked<{ readonly share: null }>("DELETE", `/analysis-jobs/${id}/share`),
  compare: (before: string, after: string) =>
    asked<{ readonly before: AnalysisView; readonly after: AnalysisView; readonly comparison: Comparison }>(
      "GET",
      `/comparisons/${encodeURIComponent(before)}/${encodeURIComponent(after)}`,
    ),
  pools: () => asked<readonly StagePool[]>("GET", "/pools"),
  budgets: () => asked<readonly VisitorBudget[]>("GET", "/budgets"),
  token: async () => (await asked<{ readonly token: string }>("POST", "/token")).token,
};

async function asked<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`/app${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (answer.ok) return (await answer.json()) as Answer;
  const said = (await answer.json().catch(() => ({}))) as { readonly error?: string };
  throw new Refusal(answer.status, said.error ?? `The server answered with ${answer.status}.`);
}
