/** What auto_explain needs to be told, so that it tells the plan of each statement, and of those inside of functions. */
export const planSettings: Readonly<Record<string, string>> = {
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_format": "json",
  "auto_explain.log_level": "notice",
  "auto_explain.log_min_duration": "0",
};

/** What PostgreSQL did for a statement, as it counts it itself: the same on every machine. */
export interface Reads {
  readonly statement: string;
  /** Rows of tables that it looked at, those it then left out included. */
  readonly rows: number;
  /** Blocks that it looked at, each time anew. */
  readonly blocks: number;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

interface ToldPlan {
  readonly "Query Text": string;
  readonly Plan: PlanNode;
}

export function isPlan(notice: string): boolean {
  return notice.startsWith("duration: ") && notice.includes('"Plan": {');
}

/** Of one statement: the plans of what ran inside of its functions, and last its own, whose blocks are the sum of all. */
export function readsOfPlans(notices: readonly string[]): Reads {
  const plans = notices.map((notice): ToldPlan => JSON.parse(notice.slice(notice.indexOf("{"))));
  const own = plans.at(-1);
  if (own === undefined) throw new Error("PostgreSQL told no plan.");
  return {
    statement: own["Query Text"],
    rows: plans.reduce((rows, { Plan }) => rows + rowsOf(Plan), 0),
    blocks: own.Plan["Shared Hit Blocks"] + own.Plan["Shared Read Blocks"],
  };
}

function rowsOf(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((rows, child) => rows + rowsOf(child), 0);
  if (node["Relation Name"] === undefined || node["Node Type"] === "ModifyTable") return below;
  const leftOut = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return below + (node["Actual Rows"] + leftOut) * node["Actual Loops"];
}
