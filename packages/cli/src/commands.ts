import type { Command } from "./command.ts";
import { completeCommand } from "./commands/complete.ts";
import { completionCommand } from "./commands/completion.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { healthCommand } from "./commands/health.ts";
import { resetStalledCommand } from "./commands/jobs/reset-stalled.ts";
import { showJobCommand } from "./commands/jobs/show.ts";
import { tailJobsCommand } from "./commands/jobs/tail.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { listPipelinesCommand } from "./commands/pipelines/list.ts";
import { showPipelineCommand } from "./commands/pipelines/show.ts";
import { listSchedulesCommand } from "./commands/schedules/list.ts";
import { statsCommand } from "./commands/stats.ts";
import { verifyCommand } from "./commands/verify.ts";
import { workCommand } from "./commands/work.ts";
import { workersCommand } from "./commands/workers.ts";

/** All there are, in the order in which help shows them. */
export const commands: readonly Command[] = [
  workCommand,
  migrateCommand,
  showJobCommand,
  tailJobsCommand,
  resetStalledCommand,
  listPipelinesCommand,
  showPipelineCommand,
  listSchedulesCommand,
  statsCommand,
  workersCommand,
  healthCommand,
  doctorCommand,
  verifyCommand,
  completionCommand,
  completeCommand(() => commands),
];
