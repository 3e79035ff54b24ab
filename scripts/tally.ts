/** Counts what passed and failed over all checks, and ends a run with one plain line. */
export class Tally {
  #passed = 0;
  #failed = 0;
  readonly #notRun: string[] = [];

  add(counts: { passed?: number; failed?: number; notRun?: string[] }): void {
    this.#passed += counts.passed ?? 0;
    this.#failed += counts.failed ?? 0;
    this.#notRun.push(...(counts.notRun ?? []));
  }

  /** The line is the last of the run; a failure decides the exit code. */
  finish(): void {
    for (const title of this.#notRun) console.log(`Not run here: ${title}`);
    const skipped = this.#notRun.length > 0 ? `, ${this.#notRun.length} skipped` : "";
    console.log(`${this.#passed} passed, ${this.#failed} failed${skipped}`);
    process.exitCode = this.#failed > 0 || this.#passed === 0 ? 1 : 0;
  }
}
