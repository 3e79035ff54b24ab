import {
  type AbortAnswer,
  type BulkAction,
  type BulkCount,
  type BulkRequest,
  type BulkStore,
  jobsPerStep,
} from "../../store/steering/bulk-store.ts";
import { checkedJobId } from "../reading/checked-job-id.ts";
import { checkedBulk } from "./checked-bulk.ts";

export interface BulkActionsParts {
  readonly store: BulkStore;
  /** There is something for a runner in this process to do. */
  readonly onStarted: () => void;
}

/** Cancels and retries over many jobs: begun here, done step by step by a BulkRunner or by whoever calls `step`. */
export class BulkActions {
  readonly #parts: BulkActionsParts;

  constructor(parts: BulkActionsParts) {
    this.#parts = parts;
  }

  /** How many jobs a `start` would affect now; begins nothing. */
  async preview(bulk: BulkRequest): Promise<BulkCount> {
    return await this.#parts.store.preview(checkedBulk(bulk));
  }

  /** Begins it; nothing is done yet. Jobs that are added from now on are not affected. */
  async start(bulk: BulkRequest & { readonly user?: string | undefined }): Promise<BulkAction> {
    const { user = "", ...request } = bulk;
    const { store, onStarted } = this.#parts;
    const id = await store.start(checkedBulk(request), user);
    onStarted();
    return (await store.get(id)) as BulkAction;
  }

  async get(id: string): Promise<BulkAction | null> {
    return await this.#parts.store.get(checkedJobId(id));
  }

  /** Newest first; the id of the last one is the next page's `before`. */
  async list(
    page: { readonly before?: string | undefined; readonly limit?: number | undefined } = {},
  ): Promise<BulkAction[]> {
    const before = page.before === undefined ? null : checkedJobId(page.before);
    return await this.#parts.store.list(before, page.limit ?? 50);
  }

  /** Does the next few jobs, and says how far it has come; null when there is no such bulk action. */
  async step(id: string, options: { readonly batchSize?: number } = {}): Promise<BulkAction | null> {
    const answer = await this.#parts.store.step(checkedJobId(id), options.batchSize ?? jobsPerStep);
    return answer === "not_found" ? null : await this.#parts.store.get(checkedJobId(id));
  }

  /** What was done stays done. */
  async abort(id: string): Promise<AbortAnswer> {
    return await this.#parts.store.abort(checkedJobId(id));
  }
}
