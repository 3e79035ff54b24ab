import { dateText } from "./date-text.ts";

/** An entry of a person's log, as far as it is read. */
export interface LogEntry {
  readonly kind: string;
  readonly pipeline: string;
  readonly jobId: string;
  readonly detail: { readonly result?: unknown; readonly error?: { readonly message?: string } };
}

export interface Notification {
  readonly event: "brief_completed" | "brief_email_sent" | "phases_completed" | "brief_failed";
  readonly payload: Readonly<Record<string, unknown>>;
  /** In a person's words. */
  readonly text: string;
}

/** What an entry of the log means to the person it belongs to; null: nothing to tell. */
export function notificationOf({ kind, pipeline, jobId, detail }: LogEntry): Notification | null {
  const result = (detail.result ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === "job.completed" && pipeline === "generate_daily_brief") {
    const { briefId, briefDate, timezone } = result;
    const text = `Your brief of ${dateText(String(briefDate))} is ready.`;
    return { event: "brief_completed", payload: { briefId, briefDate, timezone }, text };
  }
  if (kind === "job.completed" && pipeline === "generate_brief_email" && isId(result.emailId)) {
    const { emailId, briefId, trackingId } = result;
    const text = "Your brief was mailed to you.";
    return { event: "brief_email_sent", payload: { emailId, briefId, trackingId }, text };
  }
  if (kind === "job.completed" && pipeline === "generate_phases") {
    const { projectId, projectName, phaseCount } = result;
    const text = `The project "${projectName}" has ${phaseCount} ${phaseCount === 1 ? "phase" : "phases"} now.`;
    return { event: "phases_completed", payload: { projectId, phaseCount }, text };
  }
  if (kind === "job.failed" && pipeline === "generate_daily_brief") {
    const error = detail.error?.message ?? "unknown";
    const text = `Your brief could not be written: ${error}`;
    return { event: "brief_failed", payload: { error, jobId }, text };
  }
  return null;
}

// Without one no provider has taken the mail.
function isId(value: unknown): boolean {
  return typeof value === "string";
}
