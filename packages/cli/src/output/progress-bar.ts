import type { Io } from "../session/io.ts";
import { cutToWidth, plainText } from "./plain-text.ts";

export interface Progress {
  /** 0 to 1; null while it is not known. */
  readonly share: number | null;
  /** What is shown after the bar: counts, a stage, a time. */
  readonly text: string;
}

const redrawMs = 100;
const cells = 16;

/** Progress on stderr: one line that is redrawn on a terminal, otherwise a line for each change. */
export class ProgressBar {
  readonly #io: Pick<Io, "stderr" | "clock">;
  readonly #title: string;
  readonly #isRedrawn: boolean;
  readonly #isSilent: boolean;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #last: Progress | null = null;
  #lastStep = -1;
  #isOpen = false;

  constructor(
    io: Pick<Io, "stderr" | "clock">,
    options: { readonly title: string; readonly isRedrawn: boolean; readonly isSilent: boolean },
  ) {
    this.#io = io;
    this.#title = options.title;
    this.#isRedrawn = options.isRedrawn;
    this.#isSilent = options.isSilent;
  }

  update(progress: Progress): void {
    this.#last = progress;
    if (this.#isSilent) return;
    if (!this.#isRedrawn) this.#sayChange(progress);
    else if (this.#io.clock.monotonicMs() - this.#drawnAtMs >= redrawMs) this.#draw(progress);
  }

  /** A line that stays, above the bar. */
  say(line: string): void {
    if (this.#isSilent) return;
    void this.#io.stderr.write(this.#isOpen ? `\r\u001b[2K${line}\n` : `${line}\n`);
    if (this.#isOpen && this.#last !== null) this.#draw(this.#last);
  }

  /** Leaves the last state on the screen. */
  end(): void {
    if (this.#isSilent || !this.#isRedrawn || this.#last === null) return;
    this.#draw(this.#last);
    if (this.#isOpen) void this.#io.stderr.write("\n");
    this.#isOpen = false;
  }

  #draw(progress: Progress): void {
    this.#drawnAtMs = this.#io.clock.monotonicMs();
    this.#isOpen = true;
    const line = cutToWidth(this.#line(progress), (this.#io.stderr.columns ?? 80) - 1);
    void this.#io.stderr.write(`\r\u001b[2K${line}`);
  }

  /** A log should not get a line for every percent. */
  #sayChange(progress: Progress): void {
    const step = progress.share === null ? -1 : Math.floor(progress.share * 10);
    if (progress.share !== null && step === this.#lastStep) return;
    this.#lastStep = step;
    void this.#io.stderr.write(`${this.#line(progress)}\n`);
  }

  #line({ share, text }: Progress): string {
    const parts = [this.#title];
    if (share !== null) {
      if (this.#isRedrawn) parts.push(barOf(share));
      parts.push(`${String(Math.floor(share * 100)).padStart(3)} %`);
    }
    parts.push(plainText(text));
    return parts.filter((part) => part !== "").join("  ");
  }
}

export function barOf(share: number): string {
  const full = Math.max(0, Math.min(cells, Math.round(share * cells)));
  return "█".repeat(full) + "░".repeat(cells - full);
}
