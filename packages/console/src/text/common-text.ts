import { formatFull } from "../format/number.ts";

/** Words of every page. */
export const commonText = {
  common: {
    close: "Close",
    dismiss: "Dismiss",
    back: "Back",
    loading: "Loading",
    tryAgain: "Try again",
    copied: "Copied",
    copyCommand: "Copy the command",
    copyJson: "Copy as JSON",
    fold: (name: string) => `Collapse or expand ${name}`,
    showAsTable: "Show as table",
    showAsChart: "Show as chart",
    none: "None",
    all: "All",
    open: "Open",
    more: "More",
    jobs: (count: number) => (count === 1 ? "1 job" : `${formatFull(count)} jobs`),
  },
  status: {
    scheduled: "Scheduled",
    pending: "Pending",
    processing: "Processing",
    retrying: "Retrying",
    completed: "Completed",
    failed: "Failed",
    cancelled: "Cancelled",
    paused: "Paused",
  },
  outcome: {
    done: "done",
    skipped: "skipped",
    branched: "began branches",
    failed: "failed",
    timeout: "timed out",
    lost: "lost with its worker",
    released: "released",
    snoozed: "snoozed",
    cancelled: "cancelled",
    processing: "running",
  },
  progress: {
    value: (percent: number | null, stage: number | undefined, stages: number) => {
      const place = stage === undefined || stages < 2 ? "" : `stage ${stage} of ${stages}`;
      const share = percent === null ? "" : `${Math.round(percent)} percent`;
      return [place, share].filter(Boolean).join(", ") || "in progress";
    },
    of: (job: string) => `Progress of ${job}`,
  },
  ranges: { "1h": "1 hour", "6h": "6 hours", "24h": "24 hours", "7d": "7 days" },
  lastRanges: { "1h": "last hour", "6h": "last 6 hours", "24h": "last 24 hours", "7d": "last 7 days" },
  errors: {
    unreachable: "The server does not answer",
    unreachableAdvice: "It may be restarting. This page retries automatically.",
    forbidden: "You do not have access to this",
    narrow: "Narrow the filter, for example by pipeline or time, and try again.",
    request: "Request",
  },
} as const;
