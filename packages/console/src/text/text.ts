import { budgetsText } from "./budgets-text.ts";
import { commonText } from "./common-text.ts";
import { jobText } from "./job-text.ts";
import { jobsText } from "./jobs-text.ts";
import { operationsText } from "./operations-text.ts";
import { overviewText } from "./overview-text.ts";
import { pipelinesText } from "./pipelines-text.ts";
import { shellText } from "./shell-text.ts";
import { waitsText } from "./waits-text.ts";

/** Every word the console says, by page: another language is another object of this shape. */
export const text = {
  product: "Lockstep",
  ...commonText,
  ...shellText,
  ...overviewText,
  ...pipelinesText,
  ...jobsText,
  ...jobText,
  ...operationsText,
  ...waitsText,
  ...budgetsText,
} as const;
