import type { Children, JobOutcome } from "../../jobs/outcomes/job-outcome.ts";

const pageSize = 1_000;

/** Reads children a page at a time. */
export class StoredChildren implements Children {
  readonly #readPage: (after: string | null, limit: number) => Promise<JobOutcome[]>;

  constructor(readPage: (after: string | null, limit: number) => Promise<JobOutcome[]>) {
    this.#readPage = readPage;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JobOutcome> {
    let after: string | null = null;
    for (;;) {
      const page: JobOutcome[] = await this.#readPage(after, pageSize);
      yield* page;
      if (page.length < pageSize) return;
      after = page[page.length - 1]?.id ?? null;
    }
  }

  async all(): Promise<JobOutcome[]> {
    const children: JobOutcome[] = [];
    for await (const child of this) children.push(child);
    return children;
  }

  async results(): Promise<unknown[]> {
    const children = await this.all();
    return children.filter(({ status }) => status === "completed").map(({ result }) => result);
  }
}
