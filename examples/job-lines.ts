import type { Engine, StageCount } from "lockstep";

interface Tries {
  done: number;
  failed: number;
  totalMs: number;
}

/** Prints one line for each thing that happens to a job, and counts the tries of each stage. */
export class JobLines {
  readonly #names = new Map<string, string>();
  readonly #tries = new Map<string, Tries>();

  constructor(engine: Pick<Engine, "on">) {
    engine.on("job.started", ({ jobId, stage, attempt }) => this.print(jobId, stage, `attempt ${attempt}`));
    engine.on("job.progress", ({ jobId, percent, note }) =>
      this.print(jobId, "", `${percent} % ${note ?? ""}`),
    );
    engine.on("job.advanced", ({ jobId, stage, nextStage, durationMs }) => {
      this.print(jobId, stage, `done in ${ms(durationMs)}, goes on to ${nextStage}`);
      this.#count(stage, durationMs, "done");
    });
    engine.on("job.completed", ({ jobId, stage, durationMs }) => {
      this.print(jobId, stage, `done in ${ms(durationMs)}, the job is completed`);
      this.#count(stage, durationMs, "done");
    });
    engine.on("job.retrying", ({ jobId, stage, error, durationMs }) => {
      this.print(jobId, stage, `failed (${error.message}), will be retried`);
      this.#count(stage, durationMs, "failed");
    });
    engine.on("job.failed", ({ jobId, stage, error, durationMs }) => {
      this.print(jobId, stage, `failed for good (${error.message})`);
      this.#count(stage, durationMs, "failed");
    });
    engine.on("job.released", ({ jobId, stage }) => this.print(jobId, stage, "given back, unspent"));
  }

  /** By which name a job is called; one of an earlier run has none, and is called by its id. */
  name(jobId: string, name: string): void {
    this.#names.set(jobId, name);
  }

  print(jobId: string, stage: string, what: string): void {
    const now = new Date();
    const time = `${now.toTimeString().slice(0, 8)}.${String(now.getMilliseconds()).padStart(3, "0")}`;
    const name = this.#names.get(jobId) ?? jobId.slice(-12);
    console.log(`${time}  ${name.padEnd(16)}${stage.padEnd(18)}${what}`);
  }

  /** What this run did, beside what the database has counted since the pipeline was first defined. */
  printTable(counts: readonly StageCount[]): void {
    const count = (stage: string, ...statuses: string[]) =>
      counts
        .filter((row) => row.stage === stage && statuses.includes(row.status))
        .reduce((sum, row) => sum + row.jobs, 0);
    printRow("stage", "tries", "failed", "mean", "waiting", "completed");
    for (const stage of new Set(counts.map((row) => row.stage))) {
      const { done, failed, totalMs } = this.#tries.get(stage) ?? { done: 0, failed: 0, totalMs: 0 };
      const tries = done + failed;
      printRow(
        stage,
        tries,
        failed,
        tries === 0 ? "-" : ms(totalMs / tries),
        count(stage, "scheduled", "pending", "retrying"),
        count(stage, "completed"),
      );
    }
  }

  #count(stage: string, durationMs: number, end: "done" | "failed"): void {
    const tries = this.#tries.get(stage) ?? { done: 0, failed: 0, totalMs: 0 };
    tries[end] += 1;
    tries.totalMs += durationMs;
    this.#tries.set(stage, tries);
  }
}

function printRow(stage: string, ...cells: (string | number)[]): void {
  console.log(`${stage.padEnd(18)}${cells.map((cell) => String(cell).padStart(10)).join("")}`);
}

function ms(span: number): string {
  return `${Math.round(span)} ms`;
}
