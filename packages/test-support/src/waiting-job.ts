import type { JobFactory } from "./job-factory.ts";
import type { TestDatabase } from "./test-database.ts";

/** A pipeline with a wait for an approval between two stages. */
export async function aWaitingPipeline(
  factory: JobFactory,
  wait: Record<string, unknown> = {},
): Promise<void> {
  const signalSchema = {
    type: "object",
    properties: { approved: { type: "boolean" }, note: { type: "string", maxLength: 500 } },
    required: ["approved"],
  };
  const approval = { name: "approval", kind: "wait", waitMs: 86_400_000, signalSchema, ...wait };
  await factory.aPipeline("orders", ["quote", approval, "ship"]);
}

/** A job of it that is at the wait. */
export async function aWaitingJob(
  db: Pick<TestDatabase, "value">,
  factory: JobFactory,
  options: { readonly owner?: string; readonly payload?: unknown; readonly output?: unknown } = {},
): Promise<string> {
  const { output = { price: 5 }, ...job } = options;
  const by = await factory.aWorker();
  const { id, claim_token } = await factory.aClaimedJob({ by, stage: "orders/quote", ...job });
  await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_output: output });
  return id;
}
