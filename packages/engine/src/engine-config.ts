import { brandError, type ConnectionOptions } from "@lockstep/database";
import { type ConnectionTarget, connectionTarget } from "@lockstep/database/internal";
import { type EngineSettings, engineSettings } from "./engine-settings.ts";
import { withBranches } from "./jobs/pipelines/pipeline.ts";
import { didYouMean } from "./jobs/values/nearest-name.ts";

export {
  type EngineSetting,
  type EngineSettingName,
  engineSettings,
} from "./engine-settings.ts";

/** An engine's settings, complete and checked. */
export interface EngineConfig extends EngineSettings {
  /** How to connect, whichever setting said so. */
  readonly target: ConnectionTarget;
  /** How to connect for LISTEN; null: only polls. */
  readonly listenTarget: ConnectionTarget | null;
}

/** What `createEngine` takes: the database, and whatever else is to differ from its default. */
export type EngineOptions = ConnectionOptions & {
  readonly [Name in Exclude<keyof EngineSettings, keyof ConnectionOptions>]?:
    | EngineSettings[Name]
    | undefined;
};

/** A setting is unknown or its value cannot be used. */
export class ConfigError extends Error {
  static {
    brandError(ConfigError, "ConfigError");
  }

  override readonly name = "ConfigError";
}

/** Checks the settings and completes them; what holds afterwards is not checked again. */
export function readEngineConfig(options: EngineOptions): EngineConfig {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError("The settings must be an object such as { databaseUrl, pipelines }.");
  }
  const given: Record<string, unknown> = { ...options };
  const names = Object.keys(engineSettings);
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(engineSettings, key)) continue;
    throw new ConfigError(`Unknown setting "${key}".${didYouMean(key, names)}`);
  }
  const isClassic = given.timing === "classic";
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(engineSettings)) {
    const fallback = isClassic && "classic" in setting ? setting.classic : setting.default;
    const value = given[name] === undefined ? fallback : given[name];
    const complaint = setting.check(value);
    if (complaint !== null) throw new ConfigError(`${name} ${complaint}.`);
    config[name] = Array.isArray(value) ? Object.freeze([...value]) : value;
  }
  const settings = config as unknown as EngineSettings;
  const pipelines = Object.freeze(withBranches(settings.pipelines));
  const complete: EngineConfig = Object.freeze({ ...settings, pipelines, ...targetsOf(settings) });
  checkLease(complete);
  checkStages(complete);
  return complete;
}

function targetsOf(settings: EngineSettings): Pick<EngineConfig, "target" | "listenTarget"> {
  const { listenUrl, listenConnection, transactionPooler } = settings;
  const target = connectionTarget(settings, refused);
  if (listenUrl !== null && listenConnection !== null) {
    throw refused("Give only one of listenUrl and listenConnection: each says where to listen.");
  }
  if (listenUrl === null && listenConnection === null) {
    return { target, listenTarget: transactionPooler ? null : target };
  }
  return {
    target,
    listenTarget: connectionTarget({ databaseUrl: listenUrl, connection: listenConnection }, refused),
  };
}

function refused(sentence: string): ConfigError {
  return new ConfigError(sentence);
}

function checkLease({ leaseMs, heartbeatIntervalMs, leaseMarginMs }: EngineConfig): void {
  if (leaseMs < 3 * heartbeatIntervalMs) {
    throw new ConfigError(
      `leaseMs (${leaseMs}) must be at least three times heartbeatIntervalMs (${heartbeatIntervalMs}), so that one late heartbeat costs no job.`,
    );
  }
  if (leaseMarginMs >= leaseMs - heartbeatIntervalMs) {
    throw new ConfigError(
      `leaseMarginMs (${leaseMarginMs}) must be smaller than leaseMs less heartbeatIntervalMs (${leaseMs - heartbeatIntervalMs}), or a worker would distrust its lease before it can renew it.`,
    );
  }
}

function checkStages({ pipelines, stages }: EngineConfig): void {
  const known = pipelines.flatMap((pipeline) =>
    pipeline.stages.map(({ name }) => `${pipeline.name}/${name}`),
  );
  const unknown = stages?.find((stage) => !known.includes(stage));
  if (unknown === undefined) return;
  throw new ConfigError(
    `stages names "${unknown}", which none of the pipelines has.${didYouMean(unknown, known)}`,
  );
}
