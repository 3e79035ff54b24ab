import type { Clock } from "lockstep";
import type { Output } from "../output/output.ts";

const width = 72;

/** What has started, line by line, each with the time it took. */
export class Banner {
  readonly #output: Output;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #beganMs: number;
  #lastMs: number;

  constructor(output: Output, clock: Pick<Clock, "monotonicMs">) {
    this.#output = output;
    this.#clock = clock;
    this.#beganMs = clock.monotonicMs();
    this.#lastMs = this.#beganMs;
  }

  /** Since the first line was started. */
  get totalMs(): number {
    return Math.round(this.#clock.monotonicMs() - this.#beganMs);
  }

  step(text: string): void {
    const nowMs = this.#clock.monotonicMs();
    const tookMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    const { green, dim } = this.#output.talkPaint;
    const took = tookMs < 50 ? "" : dim(`${(tookMs / 1_000).toFixed(1)} s`);
    this.#output.note(`  ${green("✔")} ${took === "" ? text : `${text.padEnd(width)} ${took}`}`);
  }

  /** Says what it waits for, and why. */
  wait(text: string): void {
    this.#output.note(`  ${this.#output.talkPaint.yellow("…")} ${text}`);
  }
}
