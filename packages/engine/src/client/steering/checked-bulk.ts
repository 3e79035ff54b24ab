import { brandError } from "@lockstep/database";
import { checkJobFilter } from "../../jobs/reading/job-filter.ts";
import { didYouMean } from "../../jobs/values/nearest-name.ts";
import type { BulkRequest } from "../../store/steering/bulk-store.ts";
import { checkedJobId } from "../reading/checked-job-id.ts";

/** A bulk action that cannot be done as it was asked for. Nothing has begun. */
export class BulkActionError extends Error {
  static {
    brandError(BulkActionError, "BulkActionError");
  }

  override readonly name = "BulkActionError";
}

const known = ["action", "filter", "ids", "fromStage"];

/** Refuses, with a sentence, what cannot be done, and what would be done to every job. */
export function checkedBulk(bulk: BulkRequest): BulkRequest {
  if (typeof bulk !== "object" || bulk === null) {
    throw new BulkActionError(
      'A bulk action must be an object such as { action: "retry", filter: { pipeline: "orders" } }.',
    );
  }
  const unknown = Object.keys(bulk).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new BulkActionError(`Unknown part "${unknown}" of a bulk action.${didYouMean(unknown, known)}`);
  }
  const { action, filter, ids, fromStage } = bulk;
  if (action !== "cancel" && action !== "retry") {
    throw new BulkActionError(`The action is ${JSON.stringify(action)}, and must be "cancel" or "retry".`);
  }
  if (fromStage !== undefined && (action !== "retry" || typeof fromStage !== "string" || fromStage === "")) {
    throw new BulkActionError("fromStage must be the name of a stage, for a retry.");
  }
  if (filter !== undefined) checkJobFilter(filter);
  if (ids === undefined) {
    if (Object.values(filter ?? {}).every((value) => value === undefined)) {
      throw new BulkActionError("A bulk action without filter or ids would be done to every job.");
    }
    return bulk;
  }
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > 10_000) {
    throw new BulkActionError("ids must be 1 to 10,000 ids of jobs; for more jobs give a filter.");
  }
  if (filter?.ids !== undefined)
    throw new BulkActionError("Give the ids beside the filter or in it, not twice.");
  return { ...bulk, ids: ids.map(checkedJobId) };
}
