import { type ConnectionConfig, defaultSchema, type PgPool, schemaNameComplaint } from "@lockstep/database";
import { type Clock, systemClock } from "./clock.ts";
import type { Logger } from "./events/event-logger.ts";
import { stderrLogger } from "./events/stderr-logger.ts";
import type { Telemetry } from "./events/telemetry.ts";
import type { AnyPipeline } from "./jobs/pipelines/pipeline.ts";
import {
  amount,
  clockLike,
  connection,
  databaseUrl,
  loggerLike,
  name,
  oneOf,
  optional,
  pipelineList,
  poolLike,
  type SettingCheck,
  secrets,
  span,
  stageList,
  switchSetting,
  telemetryLike,
  textPath,
  unlessNull,
} from "./setting-checks.ts";

/** What can be set. */
export interface EngineSettings {
  readonly databaseUrl: string | null;
  readonly connection: ConnectionConfig | null;
  readonly pool: PgPool | null;
  readonly schema: string;
  readonly listenUrl: string | null;
  readonly listenConnection: ConnectionConfig | null;
  readonly transactionPooler: boolean;
  readonly pipelines: readonly AnyPipeline[];
  readonly stages: readonly string[] | null;
  readonly workerName: string | null;
  readonly timing: "default" | "classic";
  readonly leaseMs: number;
  readonly heartbeatIntervalMs: number;
  readonly leaseMarginMs: number;
  readonly sweepIntervalMs: number;
  readonly pollIntervalMs: number;
  readonly assignIntervalMs: number;
  readonly assignmentsPerCycle: number | null;
  readonly jobsAtOnce: number | null;
  readonly claimBatchSize: number;
  readonly queueLimit: number;
  readonly healthIntervalMs: number;
  readonly stuckAfterMs: number;
  readonly drainTimeoutMs: number;
  readonly stopGraceMs: number;
  readonly cancelGraceMs: number;
  readonly progressIntervalMs: number;
  readonly keepCompletedDays: number;
  readonly keepFailedDays: number;
  readonly keepEventsDays: number;
  readonly keepActionsDays: number;
  readonly tokenSecret: string | readonly string[] | null;
  readonly connections: number;
  readonly tempRoot: string | null;
  readonly logger: Logger | null;
  readonly telemetry: Telemetry | null;
  readonly clock: Clock;
}

export type EngineSettingName = keyof EngineSettings;

export interface EngineSetting<Value> {
  readonly default: Value;
  /** The value under `timing: "classic"`, where it is another. */
  readonly classic?: Value;
  readonly check: SettingCheck;
  readonly sentence: string;
}

const hour = 3_600_000;
const day = 24 * hour;

/** Every setting there is. The page on configuration is compared with this table by a test. */
export const engineSettings: { readonly [Name in EngineSettingName]: EngineSetting<EngineSettings[Name]> } = {
  databaseUrl: {
    default: null,
    check: unlessNull(databaseUrl),
    sentence:
      "Where PostgreSQL is, as postgres://user:password@host:5432/database; several hosts are separated by commas.",
  },
  connection: {
    default: null,
    check: unlessNull(connection),
    sentence:
      "The same in parts, in place of databaseUrl: host, port, user, database, password (a text or a function), ssl, hosts.",
  },
  pool: {
    default: null,
    check: unlessNull(poolLike),
    sentence:
      "A pool of your own, in place of databaseUrl: the engine's calls use it, and a worker's own connections are made with its options.",
  },
  schema: {
    default: defaultSchema,
    check: schemaNameComplaint,
    sentence:
      "The schema that Lockstep has in the database, with its roles and channels; another name is another installation.",
  },
  listenUrl: {
    default: null,
    check: optional(databaseUrl),
    sentence:
      "A direct URL for LISTEN; null listens at databaseUrl, or only polls when that is a transaction pooler.",
  },
  listenConnection: {
    default: null,
    check: optional(connection),
    sentence: "The same in parts, in place of listenUrl.",
  },
  transactionPooler: {
    default: false,
    check: switchSetting,
    sentence:
      "Whether databaseUrl, connection or pool leads through a transaction pooler: no startup parameters, no named statements, LISTEN only through listenUrl.",
  },
  pipelines: {
    default: [],
    check: pipelineList,
    sentence: "The pipelines this engine adds to and works on.",
  },
  stages: {
    default: null,
    check: optional(stageList),
    sentence:
      'The stages this worker serves, each as "pipeline/stage"; null serves all of its pipelines. Adding is not affected.',
  },
  workerName: {
    default: null,
    check: optional(name),
    sentence: "A label for this worker in lists and logs; null takes the host's name and the process id.",
  },
  timing: {
    default: "default",
    check: oneOf(["default", "classic"]),
    sentence:
      'Which column of this table applies: "default" is woken at once, "classic" scans and assigns by timers.',
  },
  leaseMs: {
    default: 30_000,
    check: span(100, hour),
    sentence: "How long a worker holds its jobs without a heartbeat; at least three heartbeats long.",
  },
  heartbeatIntervalMs: {
    default: 10_000,
    check: span(10, hour),
    sentence: "How often a worker renews its lease.",
  },
  leaseMarginMs: {
    default: 5_000,
    check: span(0, hour),
    sentence: "How long before its lease ends a worker stops trusting it and aborts its handlers.",
  },
  sweepIntervalMs: {
    default: 5_000,
    check: span(10, hour),
    sentence: "How often the fleet looks for jobs whose worker died.",
  },
  pollIntervalMs: {
    default: 2_000,
    classic: 60_000,
    check: span(10, hour),
    sentence:
      "How often a worker looks for jobs when nothing wakes it; shared by all that sleep for the same jobs.",
  },
  assignIntervalMs: {
    default: 0,
    classic: 5_000,
    check: span(0, hour),
    sentence: "How often waiting jobs are assigned to idle processors; 0 assigns at once.",
  },
  assignmentsPerCycle: {
    default: null,
    classic: 3,
    check: optional(amount(1, 10_000)),
    sentence: "How many jobs of a stage are assigned at a time; null for no limit.",
  },
  jobsAtOnce: {
    default: null,
    check: optional(amount(1, 100_000)),
    sentence:
      "The most jobs a worker has at a time, whatever their stages; null for as many as those have processors.",
  },
  claimBatchSize: {
    default: 500,
    classic: 10,
    check: amount(1, 10_000),
    sentence: "The most jobs one claim takes.",
  },
  queueLimit: {
    default: 1_000,
    check: amount(1, 100_000),
    sentence: "The most claimed jobs of one stage that wait in a worker's JobQueue.",
  },
  healthIntervalMs: {
    default: 30_000,
    check: span(10, day),
    sentence: "How often a worker reports its health and replaces processors in error.",
  },
  stuckAfterMs: {
    default: 300_000,
    check: span(10, 30 * day),
    sentence: "How long a processor may be at one job before the health report names it as stuck.",
  },
  drainTimeoutMs: {
    default: 15_000,
    check: span(0, day),
    sentence: "How long running handlers may continue at shutdown before their signals abort.",
  },
  stopGraceMs: {
    default: 5_000,
    check: span(0, day),
    sentence: "How long a handler may take to stop after its signal aborted.",
  },
  cancelGraceMs: {
    default: 30_000,
    check: span(0, day),
    sentence: "How long a running job may take to stop after a cancel before it is cancelled by force.",
  },
  progressIntervalMs: {
    default: 1_000,
    check: span(0, hour),
    sentence: "The least time between two writes of one job's progress and log.",
  },
  keepCompletedDays: {
    default: 7,
    check: amount(1, 3_650, "days"),
    sentence: "How long completed jobs are kept.",
  },
  keepFailedDays: {
    default: 30,
    check: amount(1, 3_650, "days"),
    sentence: "How long failed and cancelled jobs are kept.",
  },
  keepEventsDays: {
    default: 3,
    check: amount(1, 3_650, "days"),
    sentence: "How long the events of the realtime log are kept.",
  },
  keepActionsDays: {
    default: 90,
    check: amount(1, 3_650, "days"),
    sentence: "How long the recorded actions of people are kept.",
  },
  tokenSecret: {
    default: null,
    check: optional(secrets),
    sentence:
      "What owner tokens are signed with: a random text, the same in every process, or a list of them, of which the first signs and all are accepted.",
  },
  connections: {
    default: 4,
    check: amount(2, 1_000),
    sentence: "How many connections the engine's pool may open; a pool of your own has its own max.",
  },
  tempRoot: {
    default: null,
    check: optional(textPath),
    sentence: "The folder in which attempts get their temporary folders; null takes the system's own.",
  },
  logger: {
    default: stderrLogger,
    check: optional(loggerLike),
    sentence:
      "Where log lines go: an object with debug, info, warn and error, such as pino; by default warnings and errors go to the standard error stream, null keeps silent.",
  },
  telemetry: {
    default: null,
    check: optional(telemetryLike),
    sentence:
      "The module @opentelemetry/api, for spans and metrics; null, or no SDK registered when the engine is made, makes none.",
  },
  clock: {
    default: systemClock,
    check: clockLike,
    sentence: "The clock that the engine uses; tests pass in one that they can move.",
  },
};
