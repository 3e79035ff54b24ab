import { chooseAnalyst } from "./services/asking/choose-analyst.ts";
import { HostTurns } from "./store/host-turns.ts";
import { ShareStore } from "./store/share-store.ts";
import { SiteDatabase } from "./store/site-database.ts";
import { VisitorStore } from "./store/visitor-store.ts";
import type { WebsiteAnalysisConfig } from "./website-analysis-config.ts";
import { websiteAnalysisPipeline } from "./website-analysis-pipeline.ts";

/** The pipeline and what it and the page work with. */
export class WebsiteAnalysisApp {
  readonly database: SiteDatabase;
  readonly visitors: VisitorStore;
  readonly shares: ShareStore;
  readonly pipeline: ReturnType<typeof websiteAnalysisPipeline>;

  constructor(config: WebsiteAnalysisConfig, databaseUrl: () => Promise<string>) {
    this.database = new SiteDatabase(databaseUrl);
    this.visitors = new VisitorStore(this.database, config.visitorLimits);
    this.shares = new ShareStore(this.database);
    const intervalMs = config.hostIntervalMs;
    const longestTurnMs = config.fetchTimeoutMs + 5_000;
    this.pipeline = websiteAnalysisPipeline({
      config,
      analyst: chooseAnalyst(config.model),
      turns: intervalMs === 0 ? null : new HostTurns(this.database, { intervalMs, longestTurnMs }),
    });
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
