// Runs in a thread of its own: a handler that keeps the main thread busy must not lose the worker's lease.
// Plain JavaScript, because a thread is started without the loader that reads TypeScript.
import { setTimeout as sleepMs } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { HeartbeatConnection } from "../store/heartbeat-connection.js";
import { LeaseMemory } from "./lease-memory.js";

/**
 * @typedef {object} HeartbeatData
 * @property {string} databaseUrl
 * @property {boolean} transactionPooler
 * @property {string} workerId
 * @property {number} leaseMs
 * @property {number} heartbeatIntervalMs
 * @property {number} upkeepAfterMs from when on the fleet's upkeep is overdue
 * @property {number} frozenAfterMs how long the main thread may stand still beyond its handlers' limit
 * @property {number} doubtMs how long after a lost reply the claims of that call may still appear
 * @property {SharedArrayBuffer} memory
 */

/**
 * What the thread says: it wants the report, PostgreSQL has answered, or a heartbeat has failed.
 * @typedef {{ kind: "report" }
 *   | ({ kind: "answer" } & import("../store/heartbeat-connection.js").Renewal)
 *   | { kind: "failure", message: string, code: string | null }} HeartbeatMessage
 */

/**
 * What the thread is told: the report it asked for, as JSON text, or to stop.
 * @typedef {{ kind: "report", report: string | null } | { kind: "stop" }} HeartbeatOrder
 */

const reportLimitMs = 100;
const goodbyeLimitMs = 300;

class HeartbeatThread {
  /** @type {HeartbeatData} */
  #data;
  /** @type {import("node:worker_threads").MessagePort} */
  #port;
  #memory;
  #connection;
  #stopping = new AbortController();
  /** @type {(report: string | null) => void} */
  #takeReport = () => {};
  /**
   * Since when the main thread has not said how it is.
   * @type {number | null}
   */
  #unansweredSinceMs = null;

  /**
   * @param {HeartbeatData} data
   * @param {import("node:worker_threads").MessagePort} port
   */
  constructor(data, port) {
    this.#data = data;
    this.#port = port;
    this.#memory = new LeaseMemory(data.memory);
    this.#connection = new HeartbeatConnection(data);
    port.on("message", (/** @type {HeartbeatOrder} */ order) => {
      if (order.kind === "report") this.#takeReport(order.report);
      else this.#stop();
    });
  }

  async run() {
    const { heartbeatIntervalMs } = this.#data;
    const retryMs = Math.min(1_000, heartbeatIntervalMs / 3);
    while (!this.#stopping.signal.aborted) {
      const beganAtMs = this.#memory.nowMs();
      const report = await this.#askForReport();
      // A frozen main thread cannot end its handlers in time, so its jobs must go to others.
      const isRenewed = !this.#isMainThreadFrozen() && (await this.#renew(report));
      const tookMs = this.#memory.nowMs() - beganAtMs;
      await this.#sleep(isRenewed ? Math.max(0, heartbeatIntervalMs - tookMs) : retryMs);
    }
  }

  #isMainThreadFrozen() {
    const { tickAtMs, longestTimeoutMs } = this.#memory;
    if (longestTimeoutMs === null) return false;
    const nowMs = this.#memory.nowMs();
    const movedAtMs = tickAtMs ?? this.#unansweredSinceMs ?? nowMs;
    return nowMs - movedAtMs > longestTimeoutMs + this.#data.frozenAfterMs;
  }

  /** @param {string | null} report */
  async #renew(report) {
    const { doubtAtMs } = this.#memory;
    const sentAtMs = this.#memory.nowMs();
    try {
      const answer = await this.#connection.renew(this.#data.workerId, report, doubtAtMs !== null);
      if (this.#stopping.signal.aborted) return false;
      if (answer.isAlive) this.#memory.renewedAtMs = sentAtMs;
      if (doubtAtMs !== null && sentAtMs - doubtAtMs >= this.#data.doubtMs) this.#memory.endDoubt(doubtAtMs);
      this.#say({ kind: "answer", ...answer });
      // A worker that was swept is never revived.
      if (!answer.isAlive) this.#stop();
      return true;
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#say(failureOf(error));
      return false;
    }
  }

  /** @returns {Promise<string | null>} null when the main thread is too busy to say */
  #askForReport() {
    this.#unansweredSinceMs ??= this.#memory.nowMs();
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, reportLimitMs, null);
      this.#takeReport = (report) => {
        clearTimeout(limit);
        this.#unansweredSinceMs = null;
        resolve(report);
      };
      this.#say({ kind: "report" });
    });
  }

  /** @param {HeartbeatMessage} message */
  #say(message) {
    this.#port.postMessage(message);
  }

  /** @param {number} ms */
  async #sleep(ms) {
    await sleepMs(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  // With the port and the connection closed, nothing keeps the thread alive.
  #stop() {
    this.#stopping.abort();
    this.#takeReport(null);
    this.#connection.close();
    this.#port.close();
    // A name server or a server that does not answer may hold it; this ends the thread, not the process.
    setTimeout(() => process.exit(), goodbyeLimitMs).unref();
  }
}

/**
 * @param {unknown} error
 * @returns {HeartbeatMessage}
 */
function failureOf(error) {
  const code = /** @type {{ code?: unknown } | null} */ (error)?.code;
  return {
    kind: "failure",
    message: error instanceof Error ? error.message : String(error),
    code: typeof code === "string" ? code : null,
  };
}

// Not awaited: the thread may end, when it is stopped, before its last call has.
if (parentPort !== null) void new HeartbeatThread(workerData, parentPort).run();
