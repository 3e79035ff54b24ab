import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { StageLog } from "../../jobs/pipelines/stage-context.ts";
import type { LogLevel } from "../../jobs/reading/job.ts";
import { encodeAside } from "../../jobs/values/json-value.ts";

// Of the first lines and of the last ones: enough to see how it began and ended, little enough to be stored with every attempt.
const linesKept = 50;
const bytesKept = 8_192;
const messageLimit = 1_000;

/** The log of one attempt: told to the engine's listeners at once, shown while it runs, stored with its end. */
export class AttemptLog implements StageLog {
  readonly #clock: Clock;
  readonly #events: EngineEvents;
  readonly #about: { jobId: string; pipeline: string; stage: string; attempt: number };
  readonly #onLine: () => void;
  readonly #first: string[] = [];
  readonly #last: string[] = [];
  #firstBytes = 0;
  #lastBytes = 0;
  #isFirstFull = false;
  #dropped = 0;

  constructor(
    clock: Clock,
    events: EngineEvents,
    about: { jobId: string; pipeline: string; stage: string; attempt: number },
    onLine: () => void,
  ) {
    this.#clock = clock;
    this.#events = events;
    this.#about = about;
    this.#onLine = onLine;
  }

  debug(message: string, data?: unknown): void {
    this.#write("debug", message, data);
  }
  info(message: string, data?: unknown): void {
    this.#write("info", message, data);
  }
  warn(message: string, data?: unknown): void {
    this.#write("warn", message, data);
  }
  error(message: string, data?: unknown): void {
    this.#write("error", message, data);
  }

  /** The stored lines as JSON text, with a line that says how many are missing between them; null when there are none. */
  asJson(): string | null {
    if (this.#first.length + this.#last.length === 0) return null;
    const are = this.#dropped === 1 ? "line was" : "lines were";
    const gap =
      this.#dropped === 0
        ? []
        : [this.#encode("warn", `${this.#dropped} ${are} left out between these`, undefined)];
    return `[${[...this.#first, ...gap, ...this.#last].join(",")}]`;
  }

  #write(level: LogLevel, message: string, data: unknown): void {
    const text = String(message).slice(0, messageLimit);
    this.#events.emit("job.log", {
      ...this.#about,
      level,
      message: text,
      ...(data !== undefined && { data }),
    });
    this.#append(this.#encode(level, text, data));
    this.#onLine();
  }

  #append(line: string): void {
    this.#isFirstFull ||= this.#first.length >= linesKept || this.#firstBytes + line.length > bytesKept;
    if (!this.#isFirstFull) {
      this.#firstBytes += line.length;
      this.#first.push(line);
      return;
    }
    this.#lastBytes += line.length;
    this.#last.push(line);
    while (this.#last.length > linesKept || this.#lastBytes > bytesKept) {
      this.#lastBytes -= this.#last.shift()?.length ?? 0;
      this.#dropped += 1;
    }
  }

  #encode(level: LogLevel, message: string, data: unknown): string {
    const at = this.#clock.now().toISOString();
    try {
      const line = encodeAside({ at, level, message, ...(data !== undefined && { data }) });
      if (line !== null && line.length <= bytesKept) return line;
    } catch {
      // What the handler logged beside its message cannot be written down; the message can.
    }
    return encodeAside({ at, level, message }) ?? "null";
  }
}
