import { FetchError, retryAfterMs } from "@lockstep/guarded-fetch";
import { PermanentError, RetryAfter, type Snooze, type StageContext, snooze } from "lockstep";
import { type PageFacts, pageFacts } from "../services/facts/page-facts.ts";
import type { Page } from "../services/reading/page.ts";
import { type PageReader, PageStatusError } from "../services/reading/page-reader.ts";
import { RobotsRefusal } from "../services/reading/robots-rules.ts";
import { HostBusyError } from "../store/host-turns.ts";
import type { WebsiteAnalysisPayload } from "../website-analysis-payload.ts";

/** What the first stage found. */
export interface Site extends Omit<Page, "html" | "headers"> {
  readonly facts: PageFacts;
}

/** Reads the page and says what is on it. */
export function websiteAnalysisStage(reader: Pick<PageReader, "read">) {
  return async ({
    payload,
    signal,
    progress,
    log,
  }: Pick<StageContext<WebsiteAnalysisPayload>, "payload" | "signal" | "progress" | "log">): Promise<
    Site | Snooze
  > => {
    progress(10, "reading the page");
    const page = await reader.read(payload.url, signal).catch((error: unknown) => {
      // Somebody else's turn: this is no failure of the page.
      if (error instanceof HostBusyError) return error;
      throw asOutcome(error);
    });
    if (page instanceof HostBusyError) return snooze({ forMs: page.askAgainMs });
    progress(50, `read ${page.sizeBytes} bytes of ${page.charset}`);
    const { html: _html, headers: _headers, ...read } = page;
    const facts = pageFacts(page);
    if (facts.isScriptShell) log.warn("The page is made by scripts in the browser; little of it can be read");
    return { ...read, facts };
  };
}

const passingStatuses = new Set([408, 425, 429]);

/** Whether another try could help is said by what went wrong. */
function asOutcome(error: unknown): unknown {
  if (error instanceof RobotsRefusal) return new PermanentError(error.message, { cause: error });
  if (error instanceof FetchError && error.isFinal) {
    const isPrivate = error.kind === "address" || error.kind === "port";
    const advice = isPrivate ? " If it is meant to be, name it in WEBSITE_ANALYSIS_ALLOW." : "";
    return new PermanentError(`${error.message}${advice}`, { cause: error });
  }
  if (!(error instanceof PageStatusError)) return error;
  if (error.status < 500 && !passingStatuses.has(error.status)) {
    return new PermanentError(error.message, { cause: error });
  }
  const afterMs = retryAfterMs(error.retryAfter, Date.now());
  return afterMs === null ? error : new RetryAfter(error.message, { afterMs, cause: error });
}
