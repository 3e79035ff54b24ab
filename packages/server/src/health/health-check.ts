import type { HealthCheck } from "../contract/health.ts";

interface Looked {
  readonly check: string;
  /** Null: there is nothing to tell, which is well. */
  readonly value: number | null;
  /** Null: no value is too large. */
  readonly threshold: number | null;
  readonly advice?: string;
  readonly detail?: string;
}

/** A check that does not make a server unready. It gives its advice only when it fails. */
export function healthCheck({ check, value, threshold, advice, detail }: Looked): HealthCheck {
  const shown = value === null ? null : Math.round(value);
  const ok = shown === null || threshold === null || shown <= threshold;
  return {
    check,
    ok,
    isCritical: false,
    value: shown,
    threshold,
    advice: ok ? null : (advice ?? null),
    detail: detail ?? null,
  };
}
