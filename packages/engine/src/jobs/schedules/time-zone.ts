import { didYouMean } from "../values/nearest-name.ts";
import { ScheduleError } from "./schedule-error.ts";

const dayMs = 86_400_000;
// No zone changes its clocks twice within a week.
const stepMs = 7 * dayMs;

/**
 * An IANA time zone: the clock on the wall there, and the moments at which it is set.
 * A wall time is written as the milliseconds UTC would have at that reading.
 */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat;

  constructor(name: string) {
    try {
      this.#format = new Intl.DateTimeFormat("en-US", {
        timeZone: name,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
      });
    } catch {
      const nearest = didYouMean(String(name), Intl.supportedValuesOf("timeZone"));
      throw new ScheduleError(
        `There is no time zone ${JSON.stringify(name)}: give an IANA name such as "Europe/Berlin", or "UTC".${nearest}`,
      );
    }
  }

  /** How far the wall clock is ahead of UTC at this moment. */
  offsetMs(atMs: number): number {
    const wholeMs = Math.floor(atMs / 1_000) * 1_000;
    const fields: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(wholeMs)) fields[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
    return Date.UTC(year, month - 1, day, hour, minute, second) - wholeMs;
  }

  /** The first moment after `fromMs`, up to `toMs`, at which the clocks are set; null when they are not. */
  firstChange(fromMs: number, toMs: number): number | null {
    const offsetMs = this.offsetMs(fromMs);
    for (let lowMs = fromMs; lowMs < toMs; lowMs += stepMs) {
      const highMs = Math.min(lowMs + stepMs, toMs);
      if (this.offsetMs(highMs) !== offsetMs) return this.#changeBetween(lowMs, highMs, offsetMs);
    }
    return null;
  }

  /** When the wall clock first shows this; if it leaps over it, the moment of the leap. */
  firstMomentOf(wallMs: number): number {
    const before = this.offsetMs(wallMs - dayMs);
    const after = this.offsetMs(wallMs + dayMs);
    // A time that comes twice comes first under the offset that is about to end.
    for (const offsetMs of [before, after]) {
      if (this.offsetMs(wallMs - offsetMs) === offsetMs) return wallMs - offsetMs;
    }
    return this.#changeBetween(wallMs - after, wallMs - before, before);
  }

  #changeBetween(fromMs: number, toMs: number, offsetMs: number): number {
    let [lowMs, highMs] = [fromMs, toMs];
    while (highMs - lowMs > 1) {
      const middleMs = Math.floor((lowMs + highMs) / 2);
      if (this.offsetMs(middleMs) === offsetMs) lowMs = middleMs;
      else highMs = middleMs;
    }
    return highMs;
  }
}
