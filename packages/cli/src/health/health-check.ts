/** One thing that must be well, as `lockstep health` tells it. */
export interface HealthCheck {
  readonly check: string;
  readonly isOk: boolean;
  /** While it is not ok, what was asked is not ready. */
  readonly isCritical: boolean;
  readonly finding: string;
  readonly advice: string | null;
}
