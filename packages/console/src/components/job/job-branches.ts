import type { Branch } from "../../api/contract.ts";

/** By stage, the children that it began last. */
export function lastBranches(branches: readonly Branch[]): ReadonlyMap<string, readonly Branch[]> {
  const byStage = new Map<string, Branch[]>();
  for (const branch of branches) {
    const known = byStage.get(branch.stage);
    if (known?.[0]?.batchId === branch.batchId) known.push(branch);
    else byStage.set(branch.stage, [branch]);
  }
  return byStage;
}
