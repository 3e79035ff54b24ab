import { isAbsolute } from "node:path";
import { type AnyPipeline, checkPipelines } from "./jobs/pipelines/pipeline.ts";

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

// The complaints never repeat the URL, since it holds a password.
export const databaseUrl: SettingCheck = (value) => {
  const example = "such as postgres://user:password@host:5432/database";
  if (typeof value !== "string" || value === "") return `must be a PostgreSQL URL ${example}`;
  if (!/^postgres(ql)?:\/\//.test(value)) return `must begin with postgres:// or postgresql://, ${example}`;
  if (namesSeveralHosts(value)) {
    return "names several hosts, and connections are made to one: give an address that always leads to the primary, such as a proxy's (PgBouncer, HAProxy), a virtual IP's or the one your provider has for it";
  }
  // Without a host, a folder with the server's socket may be named: postgres://user@/database?host=/var/run/postgresql
  if (URL.canParse(value.replace("@/", "@localhost/"))) return null;
  return `is not a URL that can be read (expected one ${example}): write special characters in user and password percent-encoded, "#" as %23 and "/" as %2F`;
};

/** "a:1,b:2" before the path, or in the parameter host. */
function namesSeveralHosts(url: string): boolean {
  const [authority = ""] = url.split("://")[1]?.split(/[/?#]/) ?? [];
  // A "/" that was not encoded ends it in the middle of a password.
  if (!authority.includes("@") && url.includes("@")) return false;
  const hosts = authority.slice(authority.lastIndexOf("@") + 1);
  return hosts.includes(",") || /[?&]host=[^&#]*(,|%2c)/i.test(url);
}

export function hasMethods(value: unknown, names: readonly string[]): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((method) => typeof (value as Record<string, unknown>)[method] === "function")
  );
}
