import type { HealthAnswer, HealthCheck as ServerCheck } from "@lockstep/server/contract";
import { CliError } from "../errors/cli-error.ts";
import { durationText } from "../output/duration-text.ts";
import type { HealthCheck } from "./health-check.ts";

/** What the /health of a server says: whether it is ready and, to those who may know, what it has looked at. */
export async function serverHealth(url: string, signal: AbortSignal): Promise<HealthCheck[]> {
  const address = healthAddress(url);
  const response = await fetch(address, { signal }).catch((cause: unknown) => {
    throw new CliError({
      exit: "unreachable",
      code: "server.unreachable",
      message: `No server answers at ${address}.`,
      advice: "Start it with `lockstep serve` or `lockstep dev`, or correct the URL.",
      cause,
    });
  });
  const report: unknown = await response.json().catch(() => null);
  return [
    {
      check: "server",
      isOk: response.ok,
      isCritical: true,
      finding: response.ok ? "is ready" : `answers ${response.status}: ${detailOf(report)}`,
      advice: response.ok ? null : `Look at ${address}.`,
    },
    ...checksIn(report).map(checkOf),
  ];
}

function healthAddress(url: string): string {
  try {
    const address = new URL(url);
    if (address.pathname.endsWith("/health")) return address.href;
    return new URL("health", address.href.endsWith("/") ? address.href : `${address.href}/`).href;
  } catch (cause) {
    throw new CliError({
      exit: "usage",
      code: "usage",
      message: `--url must be a URL such as http://127.0.0.1:4400, not "${url}".`,
      cause,
    });
  }
}

function detailOf(report: unknown): string {
  const { detail, title, status } = (report ?? {}) as Record<string, unknown>;
  return String(detail ?? title ?? status ?? "not ready");
}

function checksIn(report: unknown): readonly ServerCheck[] {
  const { checks } = (report ?? {}) as Partial<HealthAnswer>;
  return Array.isArray(checks) ? checks : [];
}

function checkOf({ check, ok, isCritical, value, threshold, advice, detail }: ServerCheck): HealthCheck {
  const most = threshold === null ? "" : `, at most ${shown(check, threshold)}`;
  const more = detail === null ? "" : `. ${detail}`;
  return {
    check: check.replace(/ ms$/, ""),
    isOk: ok,
    isCritical,
    finding: value === null ? "nothing to report" : `${shown(check, value)}${most}${more}`,
    advice,
  };
}

/** Spans are named as such, or are the database's round trip. */
function shown(check: string, value: number | string): string {
  if (typeof value === "string") return value;
  return / ms$|^database$/.test(check) ? durationText(value) : value.toLocaleString("en-US");
}
