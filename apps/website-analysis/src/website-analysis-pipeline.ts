import { AddressGuard, GuardedFetch } from "@lockstep/guarded-fetch";
import { definePipeline } from "lockstep";
import type { Analyst } from "./services/asking/analyst.ts";
import { PacedFetch, type Turns } from "./services/reading/paced-fetch.ts";
import { PageReader } from "./services/reading/page-reader.ts";
import { RobotsRules } from "./services/reading/robots-rules.ts";
import { questionBranches } from "./stages/model-analysis.ts";
import { promptFormingStage } from "./stages/prompt-forming.ts";
import { reportFormingStage } from "./stages/report-forming.ts";
import { websiteAnalysisStage } from "./stages/website-analysis.ts";
import type { WebsiteAnalysisConfig } from "./website-analysis-config.ts";
import { websiteAnalysisPayload } from "./website-analysis-payload.ts";

/** The name that robots.txt files know it by. */
const robotName = "LockstepWebsiteAnalysis";

/**
 * The three stages of the documents, each with ten processors of its own, the last of them for each of its questions. A fourth puts the
 * answers together.
 */
export function websiteAnalysisPipeline({
  config,
  analyst,
  turns = null,
  retry = {},
}: {
  config: Pick<WebsiteAnalysisConfig, "allow" | "fetchTimeoutMs" | "tokenBudget"> &
    Partial<Pick<WebsiteAnalysisConfig, "hostIntervalMs" | "maxPending">>;
  analyst: Analyst;
  /** Null: hosts are asked at any pace. */
  turns?: Turns | null;
  /** The waits between tries; the engine's own where left out. */
  retry?: { baseMs?: number; jitter?: number };
}) {
  const guarded = new GuardedFetch({
    guard: new AddressGuard({ allow: config.allow }),
    userAgent: `${robotName}/1.0`,
    limits: { totalMs: config.fetchTimeoutMs },
  });
  const fetch = turns === null ? guarded : new PacedFetch(guarded, turns);
  const reader = new PageReader({ fetch, robots: new RobotsRules({ fetch, userAgent: robotName }) });
  const { tokenBudget, hostIntervalMs = 0, maxPending = 1_000 } = config;
  // Jobs of one host wait in the queue, where they hold no processor. The turns see to what the queue does not know: redirects and robots.txt.
  const groupRate = hostIntervalMs === 0 ? undefined : { jobs: 1, perMs: hostIntervalMs };

  const { budgets } = analyst;
  return definePipeline("website-analysis", {
    ...{ payload: websiteAnalysisPayload, events: true, maxPending, budgets },
  })
    .stage(
      "website-analysis",
      { processors: 10, timeoutMs: 60_000, retry, groupRate },
      websiteAnalysisStage(reader),
    )
    .stage(
      "prompt-forming",
      { processors: 10, timeoutMs: 30_000, retry },
      promptFormingStage({ tokenBudget }),
    )
    .parallel(
      "model-analysis",
      // As long as a model may be given for one question; a busy provider gets a few more tries than a broken one.
      questionBranches(analyst, { processors: 10, maxAttempts: 5, timeoutMs: 600_000, retry }),
    )
    .stage("report-forming", { retry }, reportFormingStage(analyst.label));
}
