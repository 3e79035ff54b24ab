import { isAbsolute } from "node:path";
import { connectionProblem, databaseUrlProblem } from "@lockstep/database/internal";
import { type AnyPipeline, checkPipelines, withBranches } from "./jobs/pipelines/pipeline.ts";

/** What is wrong with a value, to follow the setting's name ("must be …"), or null when it is right. */
export type SettingCheck = (value: unknown) => string | null;

export function span(minMs: number, maxMs: number): SettingCheck {
  return amount(minMs, maxMs, "milliseconds");
}

export function amount(min: number, max: number, unit?: string): SettingCheck {
  const isRight = (value: unknown) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
  return (value) =>
    isRight(value) ? null : `must be a whole number ${unit ? `of ${unit} ` : ""}from ${min} to ${max}`;
}

export function optional(check: SettingCheck): SettingCheck {
  return (value) => {
    const complaint = value === null ? null : check(value);
    return complaint === null ? null : `${complaint}, or null`;
  };
}

/** For settings of which one must be given: null is not a value that anybody would choose. */
export function unlessNull(check: SettingCheck): SettingCheck {
  return (value) => (value === null ? null : check(value));
}

export function oneOf(values: readonly string[]): SettingCheck {
  const listed = values.map((value) => `"${value}"`).join(" or ");
  return (value) => (typeof value === "string" && values.includes(value) ? null : `must be ${listed}`);
}

export const switchSetting: SettingCheck = (value) =>
  typeof value === "boolean" ? null : "must be true or false";

export const name: SettingCheck = (value) =>
  typeof value === "string" && /^\P{C}{1,200}$/u.test(value)
    ? null
    : "must be a text of 1 to 200 visible characters";

export const textPath: SettingCheck = (value) =>
  typeof value === "string" && isAbsolute(value) ? null : "must be the absolute path of a folder";

export const loggerLike: SettingCheck = (value) =>
  hasMethods(value, ["debug", "info", "warn", "error"])
    ? null
    : "must be an object with the methods debug, info, warn and error";

export const telemetryLike: SettingCheck = (value) => {
  const parts = value as Record<"trace" | "context" | "metrics", unknown> | null | undefined;
  return hasMethods(value, ["isSpanContextValid", "createNoopMeter"]) &&
    hasMethods(parts?.trace, ["getTracer", "setSpan"]) &&
    hasMethods(parts?.context, ["with"]) &&
    hasMethods(parts?.metrics, ["getMeter"])
    ? null
    : 'must be the whole module, as import * as opentelemetry from "@opentelemetry/api" gives it';
};

export const clockLike: SettingCheck = (value) =>
  hasMethods(value, ["now", "monotonicMs", "sleep"])
    ? null
    : "must be an object with the methods now, monotonicMs and sleep";

export const pipelineList: SettingCheck = (value) => {
  if (!Array.isArray(value)) return "must be an array of pipelines made by definePipeline";
  try {
    checkPipelines(value as AnyPipeline[]);
    checkPipelines(withBranches(value as AnyPipeline[]));
    return null;
  } catch (thrown) {
    return `cannot be used: ${thrown instanceof Error ? thrown.message.replace(/\.$/, "") : String(thrown)}`;
  }
};

export const stageList: SettingCheck = (value) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((stage) => typeof stage === "string" && /^[^/]+\/[^/]+$/.test(stage))
    ? null
    : 'must be a list of stages, each as "pipeline/stage"';

// No complaint may repeat a secret.
export const secrets: SettingCheck = (value) => {
  const all = Array.isArray(value) ? value : [value];
  const isRight = (secret: unknown) => typeof secret === "string" && secret.length >= 32;
  return all.length > 0 && all.every(isRight)
    ? null
    : "must be a text of 32 characters or more, or a list of such texts";
};

export const databaseUrl: SettingCheck = databaseUrlProblem;

export const connection: SettingCheck = connectionProblem;

export const poolLike: SettingCheck = (value) =>
  hasMethods(value, ["connect"]) ? null : "must be a pool of node-postgres, as new pg.Pool() makes it";

export function hasMethods(value: unknown, names: readonly string[]): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((method) => typeof (value as Record<string, unknown>)[method] === "function")
  );
}
