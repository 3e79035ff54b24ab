import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Clock, type Engine, type Logger, stderrLogger } from "lockstep";
import {
  amount,
  clockLike,
  hasMethods,
  loggerLike,
  optional,
  type SettingCheck,
  secretKeyPattern,
  span,
  systemClock,
} from "lockstep/internal";
import { type Access, accessComplaint } from "../access/access.ts";
import type { ConsoleLink } from "../contract/access.ts";
import { pointerComplaint } from "../redaction/json-pointer.ts";
import { linksComplaint } from "./link-complaint.ts";

/** A server's settings, complete and checked. */
export interface ServerConfig {
  readonly engine: Engine;
  readonly access: Access;
  readonly environment: string | null;
  readonly links: readonly ConsoleLink[];
  readonly mountPath: string;
  readonly hosts: readonly string[];
  readonly redact: readonly string[];
  readonly redactKeys: RegExp | null;
  readonly addsPerSecond: number | null;
  readonly writesPerSecond: number | null;
  readonly readsPerSecond: number | null;
  readonly bodyLimitBytes: number;
  readonly readConnections: number;
  readonly readTimeoutMs: number;
  readonly streamsPerUser: number | null;
  readonly streamsInAll: number;
  readonly stopGraceMs: number;
  readonly consoleFolder: string | null;
  readonly logger: Logger | null;
  readonly clock: Clock;
}

export type ServerSettingName = keyof ServerConfig;

export interface ServerSetting<Value> {
  /** Undefined: the setting must be given. */
  readonly default: Value | undefined;
  readonly check: SettingCheck;
  readonly sentence: string;
}

/** Every setting there is. The page on configuration is compared with this table by a test. */
export const serverSettings: { readonly [Name in ServerSettingName]: ServerSetting<ServerConfig[Name]> } = {
  engine: {
    default: undefined,
    check: (value) => (hasMethods(value, ["add", "reader", "stop"]) ? null : "must come from createEngine"),
    sentence: "The engine whose jobs are served; it need not be started.",
  },
  access: {
    default: undefined,
    check: accessComplaint,
    sentence:
      'Who has access: "loopback" (everyone on this machine, with all rights), { tokens } or { authorize(request) }.',
  },
  environment: {
    default: null,
    check: optional((value) =>
      typeof value === "string" && /^\S(.{0,38}\S)?$/.test(value)
        ? null
        : 'must be a name of at most 40 characters, such as "production"',
    ),
    sentence:
      "The name that the console shows in its top bar, so that nobody mistakes one environment for another; null shows none.",
  },
  links: {
    default: [],
    check: linksComplaint,
    sentence: `Links on the console's overview, such as [{ title: "Documents", url: "/documents" }]: addresses of http or https, or paths.`,
  },
  mountPath: {
    default: "",
    check: (value) =>
      typeof value === "string" && /^(\/[\w.~-]+)*$/.test(value)
        ? null
        : 'must be a path such as "/ops/jobs", without a slash at its end',
    sentence: "The path under which a larger application serves it; links begin with it.",
  },
  hosts: {
    default: [],
    check: (value) =>
      isListOf(value, (host) => /^(\*|[a-z0-9.-]+)$/i.test(host))
        ? null
        : 'must be a list of host names without ports, such as ["jobs.example.com"], or ["*"]',
    sentence:
      'Host names that it answers to, besides those of this machine; ["*"] allows any, if a proxy checks them.',
  },
  redact: {
    default: [],
    check: pointerComplaint,
    sentence:
      "JSON pointers into a job whose values never leave the server, such as /payload/card/number; * stands for any key.",
  },
  redactKeys: {
    default: secretKeyPattern,
    check: (value) => (value === null || value instanceof RegExp ? null : "must be a RegExp, or null"),
    sentence:
      "Keys whose values never leave the server, anywhere in the data of a job, and neither do passwords in URLs; null hides neither.",
  },
  addsPerSecond: {
    default: 100,
    check: optional(amount(1, 1_000_000)),
    sentence: "Adds per second and user, with twice as many at once; null for no limit.",
  },
  writesPerSecond: {
    default: 20,
    check: optional(amount(1, 1_000_000)),
    sentence: "Other writes per second and user, with twice as many at once; null for no limit.",
  },
  readsPerSecond: {
    default: 200,
    check: optional(amount(1, 1_000_000)),
    sentence: "Reads per second and user, with twice as many at once; null for no limit.",
  },
  bodyLimitBytes: {
    default: 1_048_576,
    check: amount(1_024, 64 * 1_048_576),
    sentence: "The largest body of a request.",
  },
  readConnections: {
    default: 3,
    check: amount(1, 100),
    sentence: "How many connections its reads may open, besides the engine's.",
  },
  readTimeoutMs: {
    default: 2_000,
    check: span(10, 60_000),
    sentence: "PostgreSQL ends a read that takes longer, and the answer is query.timeout.",
  },
  streamsPerUser: {
    default: null,
    check: optional(amount(1, 100_000)),
    sentence: 'How many streams of events one user may have open; null for 5, and 50 with access "loopback".',
  },
  streamsInAll: {
    default: 500,
    check: amount(1, 100_000),
    sentence: "How many streams of events may be open in total.",
  },
  stopGraceMs: {
    default: 5_000,
    check: span(0, 600_000),
    sentence: "How long stop() waits for requests that are under way.",
  },
  consoleFolder: {
    default: null,
    check: optional((value) =>
      typeof value === "string" && isAbsolute(value) && existsSync(join(value, "index.html"))
        ? null
        : "must be the absolute path of a folder with an index.html: build the console first",
    ),
    sentence: "The folder of a built console to serve; null serves a plain page.",
  },
  logger: {
    default: stderrLogger,
    check: optional(loggerLike),
    sentence:
      "Where the line of each request goes, such as pino; by default only failures go to the standard error stream; null logs nothing.",
  },
  clock: {
    default: systemClock,
    check: clockLike,
    sentence: "The clock for rates and waits; tests pass in one that they can move.",
  },
};

function isListOf(value: unknown, isRight: (text: string) => boolean): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string" && isRight(text));
}
