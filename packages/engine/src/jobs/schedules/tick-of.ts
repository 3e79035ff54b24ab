/** The schedule that added a job, and the tick it was added for. */
export interface ScheduleTick {
  readonly name: string;
  readonly tickAt: Date;
}

/** Read from the tags that a schedule gives its jobs; null for a job that somebody added. */
export function tickOf(tags: readonly string[]): ScheduleTick | null {
  const name = tags.find((tag) => tag.startsWith("schedule:"))?.slice("schedule:".length);
  const tickAt = new Date(tags.find((tag) => tag.startsWith("tick:"))?.slice("tick:".length) ?? Number.NaN);
  return name === undefined || Number.isNaN(tickAt.getTime()) ? null : { name, tickAt };
}
