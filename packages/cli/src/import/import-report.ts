import type { SourceKind, SourceQueue, SourceSchedule } from "./source.ts";

/** What became of a queue, or would become of it. */
export interface QueueReport extends Omit<SourceQueue, "name"> {
  readonly queue: string;
  /** Null: there is no such pipeline, and the queue is left alone. */
  readonly pipeline: string | null;
  readonly imported: number;
  readonly refused: number;
  /** The first of them. */
  readonly refusals: readonly { readonly id: string; readonly reason: string }[];
}

export interface ScheduleReport {
  readonly queue: string;
  readonly name: string;
  readonly cron: string | null;
  readonly timeZone: string;
  readonly imported: boolean;
  /** Why it is not. */
  readonly reason: string | null;
}

export interface ImportReport {
  readonly source: SourceKind;
  readonly isDryRun: boolean;
  readonly queues: readonly QueueReport[];
  readonly schedules: readonly ScheduleReport[];
  readonly remarks: readonly string[];
}

export function scheduleReport(
  { queue, name, cron, timeZone }: SourceSchedule,
  reason: string | null,
): ScheduleReport {
  return { queue, name, cron, timeZone, imported: reason === null, reason };
}

/** Whether something of it stays behind that this command could not take. */
export function isPartlyDone({ queues, schedules, isDryRun }: ImportReport): boolean {
  if (isDryRun) return false;
  return queues.some(({ refused }) => refused > 0) || schedules.some(({ imported }) => !imported);
}
