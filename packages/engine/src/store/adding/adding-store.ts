import type { Added } from "../../jobs/reading/job.ts";
import { type Database, RolledBack } from "../connections/database.ts";
import { addJobs, type EncodedJob, MissingAnswersError, type Recognition } from "./add-jobs.ts";

/** Adds jobs, in a transaction of its own. */
export class AddingStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** All are added or none. */
  add(jobs: readonly EncodedJob[], isResent: boolean, recognition?: Recognition): Promise<Added[]> {
    return addJobs((statement) => this.#database.query(statement), jobs, isResent, recognition);
  }

  /**
   * Adds `count` jobs, more than one call takes, in one transaction. The next chunk is made while one is inserted. The
   * transaction may run again and then needs the first chunk again: so `chunks` is a function, since an iterator would be spent.
   */
  addInChunks(
    count: number,
    chunks: () => Iterable<readonly EncodedJob[]>,
    isResent: boolean,
  ): Promise<Added[]> {
    return this.#database.transaction(async (query) => {
      const added: Added[] = [];
      let adding: Promise<void> = Promise.resolve();
      for (const jobs of orRolledBack(chunks())) {
        await adding;
        adding = addJobs(query, jobs, isResent).then((some) => void added.push(...some));
        // Making the next chunk may throw first.
        adding.catch(() => {});
      }
      await adding;
      if (added.length !== count) throw new RolledBack(new MissingAnswersError(count, added.length));
      return added;
    });
  }
}

function* orRolledBack<Item>(items: Iterable<Item>): Generator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw new RolledBack(error);
  }
}
