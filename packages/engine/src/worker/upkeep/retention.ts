import { rowsPerDeletion, type UpkeepStore } from "../../store/working/upkeep-store.ts";

export interface RetentionParts {
  readonly store: Pick<
    UpkeepStore,
    | "deleteFinished"
    | "dropOldTable"
    | "deleteEffects"
    | "deleteSignals"
    | "deleteRecentKeys"
    | "deleteOldActions"
    | "deleteBudgetUsage"
  >;
  readonly keepCompletedDays: number;
  readonly keepFailedDays: number;
  readonly keepEventsDays: number;
  readonly keepActionsDays: number;
}

/** How often the fleet looks for what is past its time. */
export const retentionMs = 3_600_000;

/** Deletes what is past its time, a limited number of rows in each call. */
export class Retention {
  readonly #parts: RetentionParts;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    await this.#deleteFinished();
    await this.#dropOldTables();
    await this.#deleteEffects();
    await this.#deleteSignals();
    await this.#deleteRecentKeys();
    await this.#deleteOldActions();
    await this.#deleteBudgetUsage();
  }

  async #deleteFinished(): Promise<void> {
    const { store, keepCompletedDays, keepFailedDays, keepEventsDays } = this.#parts;
    const rows = (intervalMs: number) =>
      store.deleteFinished(keepCompletedDays, keepFailedDays, keepEventsDays, intervalMs);
    let deleted = await rows(retentionMs);
    while (deleted === rowsPerDeletion) deleted = await rows(0);
  }

  /** One call for each table: nobody waits for more than one, and what was dropped stays dropped if the next fails. */
  async #dropOldTables(): Promise<void> {
    const { store, keepCompletedDays, keepFailedDays, keepEventsDays } = this.#parts;
    let after: string | null = "";
    while (after !== null) {
      after = await store.dropOldTable(keepCompletedDays, keepFailedDays, keepEventsDays, after);
    }
  }

  /** Effects of jobs that retention has dropped. The worker whose turn it is goes on until none are left. */
  async #deleteEffects(): Promise<void> {
    const { store, keepCompletedDays, keepFailedDays } = this.#parts;
    const keepDays = Math.min(keepCompletedDays, keepFailedDays);
    let looked = await store.deleteEffects(keepDays, retentionMs);
    while (looked === rowsPerDeletion) looked = await store.deleteEffects(keepDays, 0);
  }

  /** Signals and signal keys, likewise. */
  async #deleteSignals(): Promise<void> {
    const { store, keepCompletedDays, keepFailedDays } = this.#parts;
    const keepDays = Math.min(keepCompletedDays, keepFailedDays);
    let looked = await store.deleteSignals(keepDays, retentionMs);
    while (looked === rowsPerDeletion) looked = await store.deleteSignals(keepDays, 0);
  }

  async #deleteRecentKeys(): Promise<void> {
    const { store } = this.#parts;
    let looked = await store.deleteRecentKeys(retentionMs);
    while (looked === rowsPerDeletion) looked = await store.deleteRecentKeys(0);
  }

  async #deleteOldActions(): Promise<void> {
    const { store, keepActionsDays } = this.#parts;
    let deleted = await store.deleteOldActions(keepActionsDays, retentionMs);
    while (deleted === rowsPerDeletion) deleted = await store.deleteOldActions(keepActionsDays, 0);
  }

  async #deleteBudgetUsage(): Promise<void> {
    const { store } = this.#parts;
    let deleted = await store.deleteBudgetUsage(retentionMs);
    while (deleted === rowsPerDeletion) deleted = await store.deleteBudgetUsage(0);
  }
}
