/** What pages about one thing are opened for. */
export interface ConsolePlaces {
  readonly pipeline: string;
  readonly jobId: string;
  /** One that has branches behind it, and waits for somebody. */
  readonly branchedJobId: string;
  readonly workerId: string;
  readonly fingerprint: string;
  readonly bulkId: string;
}

/** Every page of the console, by the name under which its picture is kept. */
export function consolePages(places: ConsolePlaces): Record<string, string> {
  const { pipeline, jobId, branchedJobId, workerId, fingerprint, bulkId } = places;
  return {
    overview: "/",
    pipelines: "/pipelines",
    pipeline: `/pipelines/${pipeline}`,
    jobs: "/jobs",
    "jobs-filtered": `/jobs?status=failed&filter=pipeline:${pipeline}`,
    job: `/jobs/${jobId}`,
    "job-branches": `/jobs/${branchedJobId}`,
    waits: "/waits",
    workers: "/workers",
    worker: `/workers/${workerId}`,
    schedules: "/schedules",
    budgets: "/budgets",
    budget: "/budgets/openai-tokens",
    errors: "/errors",
    error: `/errors/${fingerprint}`,
    bulk: "/bulk",
    "bulk-action": `/bulk/${bulkId}`,
    health: "/system",
    activity: "/activity",
    settings: "/settings",
  };
}
