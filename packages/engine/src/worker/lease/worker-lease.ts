import type { Clock } from "../../clock.ts";
import { encodeAside } from "../../jobs/values/json-value.ts";
import type { HeldClaim, Renewal } from "../../store/connections/heartbeat-connection.js";
import { Ticker } from "../../waiting/ticker.ts";
import { type Heartbeat, HeartbeatCompany } from "./heartbeat-company.ts";
import type { CompanySettings } from "./heartbeat-settings.ts";
import { LeaseMemory } from "./lease-memory.js";

export interface WorkerLeaseParts {
  readonly heartbeat: CompanySettings;
  readonly leaseMarginMs: number;
  readonly clock: Clock;
  /** What the worker says of itself with each heartbeat: anything that JSON carries. */
  readonly report: () => unknown;
  /** The longest timeoutMs among the handlers that run now or may begin at once; null: no limit; 0: there are none. */
  readonly longestTimeoutMs: () => number | null;
  /** Whether the worker holds any jobs; one that holds none needs no watch over its lease. */
  readonly isHolding: () => boolean;
  /** Held jobs that are to be cancelled; told again with each heartbeat until they are settled. */
  readonly onCancel: (jobIds: readonly string[]) => void;
  /** All that this worker holds by claims older than any reply under way: the answer to a doubt. */
  readonly onHeld: (held: readonly HeldClaim[]) => void;
  /** The fleet's upkeep is overdue. */
  readonly onUpkeepDue: () => void;
  /** The worker was swept or is unknown: its jobs are others' now. At most once per start. */
  readonly onLost: () => void;
  /** The lease is about to end without a renewal: another worker may soon have the jobs. */
  readonly onUntrusted: () => void;
  /** Renewed: the database answers. */
  readonly onRenewed: () => void;
  /** Renewed after all. */
  readonly onTrusted: () => void;
  /** Renewed after a while without: the database was away, or hard to reach. */
  readonly onRenewedLate: () => void;
  /** What goes wrong apart from outages, which the pool tells. */
  readonly onError?: (error: Error) => void;
}

const tickIntervalMs = 250;
/** Heartbeats that have not come for so many of their intervals are late. */
const lateAfterIntervals = 1.5;
// Without a job its heartbeats begin so much later: first it looks for jobs, and a thread that starts meanwhile would hold that up.
const beginsAfterMs = 1_000;
// While nothing is held: each heartbeat brings a look, too.
const restIntervalMs = 60_000;

/**
 * A worker's right to hold its jobs: renewed by a thread of its own, and trusted a little shorter than
 * PostgreSQL grants it. Measured on the process's real clock, as PostgreSQL's lease is on a real one.
 */
export class WorkerLease {
  readonly #parts: WorkerLeaseParts;
  #memory = new LeaseMemory();
  #heartbeat: Heartbeat | null = null;
  #company: HeartbeatCompany | null = null;
  /** While its heartbeats have not begun. */
  #beginning: AbortController | null = null;
  #ticker: Ticker | null = null;
  #isLost = false;
  #wasTrusted = false;
  #wasLate = false;
  #isResting = false;

  constructor(parts: WorkerLeaseParts) {
    this.#parts = parts;
  }

  /** The worker row has just been registered; `sentAtMs` is the clock's monotonicMs() from before that was sent. */
  start(workerId: string, sentAtMs: number): void {
    void this.stop();
    const { clock, heartbeat: settings } = this.#parts;
    // A fresh memory: what a thread of an earlier start still writes must not count for this one.
    const memory = new LeaseMemory();
    memory.renewedAtMs = LeaseMemory.nowMs() - (clock.monotonicMs() - sentAtMs);
    this.#memory = memory;
    this.#isLost = false;
    this.#wasTrusted = true;
    this.#wasLate = false;
    const heartbeat: Heartbeat = {
      workerId,
      memory: memory.buffer,
      report: () => {
        // A worker at rest notices here that its trust has ended, before the heartbeat may bring it back.
        this.#tick();
        return this.#reportText();
      },
      onAnswer: (answer) => {
        if (this.#heartbeat !== heartbeat) return;
        // Here nobody else would catch it, and the process would end.
        try {
          this.#hear(answer);
        } catch (error) {
          this.#fail(error);
        }
      },
      onFailure: (error) => this.#fail(error),
    };
    this.#heartbeat = heartbeat;
    this.#ticker = new Ticker({
      intervalMs: () => (this.#isResting ? restIntervalMs : Math.min(tickIntervalMs, settings.leaseMs / 20)),
      clock,
      tick: async () => this.#tick(),
      onError: (error) => this.#fail(error),
    });
    this.#showLife();
    this.#ticker.start();
    void this.#beginHeartbeatsSoon();
  }

  /** The reply to a claim was lost: heartbeats ask what this worker holds, until all of that claim must be told. */
  markInDoubt(): void {
    this.#memory.doubtAtMs = LeaseMemory.nowMs();
  }

  /** Jobs have been claimed: from now on the lease is watched. */
  taken(): void {
    // Neither this is left to a timer nor that to the next tick: a handler that blocks at once would hold them up.
    if (this.#beginning !== null) this.#beginHeartbeats();
    if (!this.#isResting) return;
    this.#showLife();
    this.#ticker?.wake();
  }

  get isTrusted(): boolean {
    if (this.#heartbeat === null || this.#isLost) return false;
    const { heartbeat, leaseMarginMs } = this.#parts;
    return LeaseMemory.nowMs() < this.#memory.renewedAtMs + heartbeat.leaseMs - leaseMarginMs;
  }

  /** Whether heartbeats arrive in time: if they do, a failure now is not caused by an outage. */
  get isOnTime(): boolean {
    const { heartbeatIntervalMs } = this.#parts.heartbeat;
    const dueAtMs = this.#memory.renewedAtMs + lateAfterIntervals * heartbeatIntervalMs;
    return this.isTrusted && LeaseMemory.nowMs() < dueAtMs;
  }

  async stop(): Promise<void> {
    const [ticker, heartbeat, company] = [this.#ticker, this.#heartbeat, this.#company];
    this.#ticker = null;
    this.#heartbeat = null;
    this.#company = null;
    this.#endBeginning();
    await Promise.all([ticker?.stop(), heartbeat === null ? null : company?.leave(heartbeat)]);
  }

  async #beginHeartbeatsSoon(): Promise<void> {
    const { clock, heartbeat: settings } = this.#parts;
    const beginning = new AbortController();
    this.#beginning = beginning;
    await clock.sleep(Math.min(beginsAfterMs, settings.heartbeatIntervalMs / 3), beginning.signal);
    if (!beginning.signal.aborted) this.#beginHeartbeats();
  }

  #beginHeartbeats(): void {
    this.#endBeginning();
    const { clock, heartbeat: settings } = this.#parts;
    if (this.#heartbeat !== null) this.#company = HeartbeatCompany.join(clock, settings, this.#heartbeat);
  }

  #endBeginning(): void {
    this.#beginning?.abort();
    this.#beginning = null;
  }

  #tick(): void {
    this.#showLife();
    this.#tellTrust();
  }

  #showLife(): void {
    this.#isResting = !this.#parts.isHolding();
    this.#memory.longestTimeoutMs = this.#parts.longestTimeoutMs();
    this.#memory.tickAtMs = this.#isResting ? null : LeaseMemory.nowMs();
  }

  #tellTrust(): void {
    if (this.#heartbeat === null || this.#isLost) return;
    // Read once: both change by themselves, with time and with each heartbeat, and would then be told twice or not at all.
    const { isTrusted, isOnTime } = this;
    const [wasTrusted, wasLate] = [this.#wasTrusted, this.#wasLate];
    this.#wasTrusted = isTrusted;
    this.#wasLate = !isOnTime;
    if (wasLate && isOnTime) this.#parts.onRenewedLate();
    if (!wasTrusted && isTrusted) this.#parts.onTrusted();
    if (wasTrusted && !isTrusted) this.#parts.onUntrusted();
  }

  #hear({ isAlive, cancel, held, isUpkeepDue }: Renewal): void {
    if (!isAlive) {
      this.#isLost = true;
      this.#parts.onLost();
      return;
    }
    this.#parts.onRenewed();
    this.#tellTrust();
    if (cancel.length > 0) this.#parts.onCancel(cancel);
    if (held !== null) this.#parts.onHeld(held);
    if (isUpkeepDue) this.#parts.onUpkeepDue();
  }

  /** Null leaves the last report in the database: one that cannot be stored must not cost the lease. */
  #reportText(): string | null {
    try {
      return encodeAside(this.#parts.report());
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  #fail(thrown: unknown): void {
    this.#parts.onError?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}
