import { Cron as Pattern } from "croner";
import { ScheduleError } from "./schedule-error.ts";
import { TimeZone } from "./time-zone.ts";

const secondMs = 1_000;
const longestPattern = 255;
const shape =
  "It has five fields (minute, hour, day of the month, month, day of the week), or six with the second first.";

/**
 * A cron pattern in a time zone, and what becomes of it when clocks are set. A pattern whose minute or hour begins
 * with `*` (or whose second does) follows the time that passes: what the clock leaps over does not come, what it
 * shows twice comes twice. Any other names times of the day, and each comes once: at the leap when it is leapt over,
 * the first time when it is shown twice.
 */
export class Cron {
  readonly #pattern: Pattern;
  readonly #zone: TimeZone;
  readonly #followsTime: boolean;

  /** Throws a ScheduleError with a sentence for a pattern or a zone that cannot be used. */
  constructor(pattern: string, timeZone: string) {
    this.#zone = new TimeZone(timeZone);
    this.#pattern = parsed(pattern);
    this.#followsTime = followsTime(pattern);
    if (this.#pattern.nextRun(new Date(0)) === null) {
      throw new ScheduleError(`The cron pattern "${pattern}" never comes: no date is like that.`);
    }
  }

  /** The first tick after this moment. */
  next(after: Date): Date {
    const afterMs = after.getTime();
    return new Date(this.#followsTime ? this.#nextMatch(afterMs) : this.#nextNamedTime(afterMs));
  }

  /** The first ticks after this moment. */
  nextFew(after: Date, count: number): Date[] {
    const ticks: Date[] = [];
    for (let last = after; ticks.length < count; ) {
      last = this.next(last);
      ticks.push(last);
    }
    return ticks;
  }

  /** The last tick up to this moment, given any earlier tick. Years of missed seconds take no longer than a day's. */
  last(upTo: Date, earlierTick: Date): Date {
    let tick = earlierTick;
    let highMs = upTo.getTime();
    while (highMs - tick.getTime() > secondMs) {
      const middle = new Date(Math.floor((tick.getTime() + highMs) / 2));
      const next = this.next(middle);
      if (next <= upTo) tick = next;
      else highMs = middle.getTime();
    }
    for (let next = this.next(tick); next <= upTo; next = this.next(next)) tick = next;
    return tick;
  }

  /** The clock is watched as it goes, from one setting of it to the next. */
  #nextMatch(afterMs: number): number {
    let fromMs = afterMs;
    let wallMs = this.#nextWall(fromMs + this.#zone.offsetMs(fromMs));
    for (;;) {
      const tickMs = wallMs - this.#zone.offsetMs(fromMs);
      const changeMs = this.#zone.firstChange(fromMs, tickMs);
      if (changeMs === null) return tickMs;
      fromMs = changeMs;
      // What the clock shows at the change itself counts too.
      wallMs = this.#nextWall(fromMs + this.#zone.offsetMs(fromMs) - secondMs);
    }
  }

  #nextNamedTime(afterMs: number): number {
    let wallMs = this.#nextWall(afterMs + this.#zone.offsetMs(afterMs));
    for (;;) {
      const tickMs = this.#zone.firstMomentOf(wallMs);
      // One that was shown before, or several that were leapt over together.
      if (tickMs > afterMs) return tickMs;
      wallMs = this.#nextWall(wallMs);
    }
  }

  /** The next reading of a wall clock that fits the pattern. */
  #nextWall(afterWallMs: number): number {
    const next = this.#pattern.nextRun(new Date(Math.floor(afterWallMs / secondMs) * secondMs));
    if (next === null) throw new ScheduleError("The cron pattern has no time left in the calendar.");
    return next.getTime();
  }
}

function parsed(pattern: string): Pattern {
  if (typeof pattern !== "string" || pattern.length > longestPattern) {
    throw new ScheduleError(`A cron pattern is text of at most ${longestPattern} characters. ${shape}`);
  }
  // The library would read a date as a pattern, and "?" as the second, minute or hour of just now.
  if (pattern.includes("?") || /^\s*\d+-\d+-/.test(pattern)) throw unusable(pattern, "");
  try {
    return new Pattern(pattern, { timezone: "UTC", mode: "5-or-6-parts" });
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace(/^CronPattern: /, "") : "";
    // Of the number of fields our own sentence speaks.
    throw unusable(pattern, /exactly/.test(reason) ? "" : reason);
  }
}

function unusable(pattern: string, reason: string): ScheduleError {
  const because = reason === "" ? "" : ` (${reason.replace(/\.$/, "")})`;
  return new ScheduleError(`The cron pattern "${pattern}" cannot be used${because}. ${shape}`);
}

function followsTime(pattern: string): boolean {
  const fields = pattern.trim().split(/\s+/);
  // The month, the weekday and the day come last; "@hourly" is the only nickname without an hour.
  if (fields.length === 1) return /^@hourly$/i.test(pattern.trim());
  return fields.slice(0, -3).some((field) => field.startsWith("*"));
}
