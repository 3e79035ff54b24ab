import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { LogLevel } from "../jobs/job.ts";
import { encodeOutput } from "../jobs/json-value.ts";
import type { StageLog } from "../jobs/stage-context.ts";

// Enough to see what happened, little enough to be kept with every attempt.
const linesKept = 100;
const bytesKept = 16_384;
const messageLimit = 1_000;

/** The log of one try: told to the engine's listeners at once, kept with the attempt when it ends. */
export class AttemptLog implements StageLog {
  readonly #clock: Clock;
  readonly #events: EngineEvents;
  readonly #about: { jobId: string; pipeline: string; stage: string; attempt: number };
  readonly #lines: string[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(
    clock: Clock,
    events: EngineEvents,
    about: { jobId: string; pipeline: string; stage: string; attempt: number },
  ) {
    this.#clock = clock;
    this.#events = events;
    this.#about = about;
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

  /** The kept lines as JSON text; null when there are none. */
  asJson(): string | null {
    if (this.#lines.length === 0) return null;
    const lines = [...this.#lines];
    if (this.#dropped > 0) {
      lines.push(this.#encode("warn", `${this.#dropped} further lines were not kept`, undefined));
    }
    return `[${lines.join(",")}]`;
  }

  #write(level: LogLevel, message: string, data: unknown): void {
    const text = String(message).slice(0, messageLimit);
    this.#events.emit("job.log", {
      ...this.#about,
      level,
      message: text,
      ...(data !== undefined && { data }),
    });
    const line = this.#encode(level, text, data);
    if (this.#lines.length >= linesKept || this.#bytes + line.length > bytesKept) {
      this.#dropped += 1;
      return;
    }
    this.#bytes += line.length;
    this.#lines.push(line);
  }

  #encode(level: LogLevel, message: string, data: unknown): string {
    const at = this.#clock.now().toISOString();
    try {
      const line = encodeOutput({ at, level, message, ...(data !== undefined && { data }) });
      if (line !== null && line.length <= bytesKept) return line;
    } catch {
      // What the handler logged beside its message cannot be written down; the message can.
    }
    return encodeOutput({ at, level, message }) ?? "null";
  }
}
