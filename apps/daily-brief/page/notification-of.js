// @ts-check

/**
 * @typedef {{ kind: string, pipeline: string, jobId: string, detail?: Record<string, any> }} JobEvent
 * @typedef {{ event: string, payload: Record<string, any>, text: string }} Notification
 */

/**
 * What an entry of the log means to the person it belongs to; null: nothing to tell.
 * @param {JobEvent} entry
 * @returns {Notification | null}
 */
export function notificationOf({ kind, pipeline, jobId, detail = {} }) {
  const result = detail.result ?? {};
  if (kind === "job.completed" && pipeline === "generate_daily_brief") {
    const { briefId, briefDate, timezone } = result;
    return told("brief_completed", { briefId, briefDate, timezone }, `Your brief of ${briefDate} is ready.`);
  }
  if (kind === "job.completed" && pipeline === "generate_brief_email" && !result.isInDoubt) {
    const { emailId, briefId, trackingId } = result;
    return told("brief_email_sent", { emailId, briefId, trackingId }, "Your brief was mailed to you.");
  }
  if (kind === "job.completed" && pipeline === "generate_phases") {
    const { projectId, phaseCount } = result;
    return told("phases_completed", { projectId, phaseCount }, `${projectId} has ${phaseCount} phases now.`);
  }
  if (kind === "job.failed" && pipeline === "generate_daily_brief") {
    const error = detail.error?.message ?? "unknown";
    return told("brief_failed", { error, jobId }, `Your brief could not be written: ${error}`);
  }
  return null;
}

/**
 * @param {string} event
 * @param {Record<string, any>} payload
 * @param {string} text
 */
function told(event, payload, text) {
  return { event, payload, text };
}
