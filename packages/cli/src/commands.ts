import type { Command } from "./command-line/command.ts";
import { benchCommand } from "./commands/bench.ts";
import { budgetLimitCommand } from "./commands/budgets/limit.ts";
import { listBudgetsCommand } from "./commands/budgets/list.ts";
import { budgetUsageCommand } from "./commands/budgets/usage.ts";
import { completeCommand } from "./commands/complete.ts";
import { completionCommand } from "./commands/completion.ts";
import { devCommand } from "./commands/dev.ts";
import { devWorkerCommand } from "./commands/dev-worker.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { errorsCommand } from "./commands/errors.ts";
import { healthCommand } from "./commands/health.ts";
import { importBullMqCommand } from "./commands/import/bullmq.ts";
import { importGraphileWorkerCommand } from "./commands/import/graphile-worker.ts";
import { importPgBossCommand } from "./commands/import/pg-boss.ts";
import { addJobsCommand } from "./commands/jobs/add.ts";
import { cancelJobsCommand } from "./commands/jobs/cancel.ts";
import { forkJobCommand } from "./commands/jobs/fork.ts";
import { listJobsCommand } from "./commands/jobs/list.ts";
import { resetStalledCommand } from "./commands/jobs/reset-stalled.ts";
import { retryJobsCommand } from "./commands/jobs/retry.ts";
import { showJobCommand } from "./commands/jobs/show.ts";
import { signalJobCommand } from "./commands/jobs/signal.ts";
import { tailJobsCommand } from "./commands/jobs/tail.ts";
import { waitingJobsCommand } from "./commands/jobs/waiting.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { listPipelinesCommand } from "./commands/pipelines/list.ts";
import { showPipelineCommand } from "./commands/pipelines/show.ts";
import { listSchedulesCommand } from "./commands/schedules/list.ts";
import { pauseScheduleCommand } from "./commands/schedules/pause.ts";
import { removeScheduleCommand } from "./commands/schedules/remove.ts";
import { resumeScheduleCommand } from "./commands/schedules/resume.ts";
import { serveCommand } from "./commands/serve.ts";
import { pauseStageCommand } from "./commands/stages/pause.ts";
import { resumeStageCommand } from "./commands/stages/resume.ts";
import { statsCommand } from "./commands/stats.ts";
import { tokenCommand } from "./commands/token.ts";
import { verifyCommand } from "./commands/verify.ts";
import { workCommand } from "./commands/work.ts";
import { workersCommand } from "./commands/workers.ts";

/** All there are, in the order in which help shows them. */
export const commands: readonly Command[] = [
  devCommand,
  workCommand,
  serveCommand,
  tokenCommand,
  migrateCommand,
  addJobsCommand,
  listJobsCommand,
  showJobCommand,
  cancelJobsCommand,
  retryJobsCommand,
  forkJobCommand,
  waitingJobsCommand,
  signalJobCommand,
  tailJobsCommand,
  resetStalledCommand,
  listPipelinesCommand,
  showPipelineCommand,
  pauseStageCommand,
  resumeStageCommand,
  listSchedulesCommand,
  pauseScheduleCommand,
  resumeScheduleCommand,
  removeScheduleCommand,
  listBudgetsCommand,
  budgetUsageCommand,
  budgetLimitCommand,
  importPgBossCommand,
  importGraphileWorkerCommand,
  importBullMqCommand,
  statsCommand,
  workersCommand,
  errorsCommand,
  healthCommand,
  doctorCommand,
  benchCommand,
  verifyCommand,
  completionCommand,
  completeCommand(() => commands),
  devWorkerCommand,
];
