// Runs in a thread of its own: a handler that keeps the main thread busy must not lose the workers' leases.
// Plain JavaScript, because a thread is started without the loader that reads TypeScript.
import { once } from "node:events";
import { setTimeout as sleepMs } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { HeartbeatConnection, isRefusal } from "../../store/connections/heartbeat-connection.js";
import { LeaseMemory } from "./lease-memory.js";

/**
 * What the workers of one thread have in common.
 * @typedef {object} HeartbeatSettings
 * @property {import("@lockstep/database/connector").Hosts} target
 * @property {boolean} asksPassword whether the main thread is asked for the password of each new connection
 * @property {string} renewal the statement that renews, for the schema of these workers
 * @property {boolean} transactionPooler
 * @property {number} leaseMs
 * @property {number} heartbeatIntervalMs
 * @property {number} upkeepAfterMs from when on the fleet's upkeep is overdue
 * @property {number} frozenAfterMs how long the main thread may stand still beyond its handlers' limit
 * @property {number} doubtMs how long after a lost reply the claims of that call may still appear
 */

/** @typedef {HeartbeatSettings & { startedAtMs: number }} HeartbeatData with the main thread's clock when it started this one */

/**
 * @typedef {object} HeartbeatMember
 * @property {string} workerId
 * @property {SharedArrayBuffer} memory
 */

/**
 * What the thread says: it wants the reports or a password, PostgreSQL has answered, or heartbeats of these workers have failed.
 * @typedef {{ kind: "report" }
 *   | { kind: "password", number: number, request: import("@lockstep/database").PasswordRequest }
 *   | { kind: "answers", answers: import("../../store/connections/heartbeat-connection.js").Renewal[] }
 *   | { kind: "failure", workerIds: string[], message: string, code: string | null }} HeartbeatMessage
 */

/**
 * What the thread is told: a worker comes, one goes, the reports it asked for by worker as JSON text, the password it asked for
 * under this number, or to stop.
 * @typedef {{ kind: "join", member: HeartbeatMember }
 *   | { kind: "leave", workerId: string }
 *   | { kind: "report", reports: ReadonlyMap<string, string | null> }
 *   | ({ kind: "password", number: number } & PasswordAnswer)
 *   | { kind: "stop" }} HeartbeatOrder
 */

/** @typedef {{ password: string } | { problem: string }} PasswordAnswer */

const firstAfterMs = 1_000;
const reportLimitMs = 100;
const goodbyeLimitMs = 300;

class HeartbeatThread {
  /** @type {HeartbeatSettings} */
  #settings;
  /** @type {import("node:worker_threads").MessagePort} */
  #port;
  #connection;
  #stopping = new AbortController();
  /**
   * What each worker's threads know of each other, by its id.
   * @type {Map<string, LeaseMemory>}
   */
  #memories = new Map();
  #sleeping = new AbortController();
  /** One that PostgreSQL refuses, say for a lock on its row, must not cost the others their leases. */
  #isOneByOne = false;
  #rounds = 0;
  /** @type {(reports: ReadonlyMap<string, string | null>) => void} */
  #takeReports = () => {};
  #passwordsAsked = 0;
  /** @type {(answer: PasswordAnswer) => void} */
  #takePassword = () => {};
  /**
   * Since when the main thread has not said how it is.
   * @type {number | null}
   */
  #unansweredSinceMs = null;

  /**
   * @param {HeartbeatSettings} settings
   * @param {import("node:worker_threads").MessagePort} port
   */
  constructor(settings, port) {
    this.#settings = settings;
    this.#port = port;
    this.#connection = new HeartbeatConnection(
      settings,
      settings.asksPassword ? (request) => this.#askForPassword(request) : null,
    );
    port.on("message", (/** @type {HeartbeatOrder} */ order) => this.#obey(order));
  }

  /** @param {HeartbeatOrder} order */
  #obey(order) {
    switch (order.kind) {
      case "join":
        this.#memories.set(order.member.workerId, new LeaseMemory(order.member.memory));
        this.#sleeping.abort();
        break;
      case "leave":
        this.#memories.delete(order.workerId);
        break;
      case "report":
        this.#takeReports(order.reports);
        break;
      case "password":
        // One that comes too late belongs to a connection that was given up.
        if (order.number === this.#passwordsAsked) this.#takePassword(order);
        break;
      case "stop":
        this.#stop();
    }
  }

  async run() {
    const { heartbeatIntervalMs } = this.#settings;
    const retryMs = Math.min(1_000, heartbeatIntervalMs / 3);
    while (!this.#stopping.signal.aborted) {
      // Whoever joins from here on may be too late for this round, and has one at once.
      this.#sleeping = new AbortController();
      if (this.#memories.size === 0) {
        await once(this.#sleeping.signal, "abort");
        // Who has just registered has its lease. It looks for jobs now, and to load the driver here would hold that up.
        await this.#sleep(Math.min(firstAfterMs, heartbeatIntervalMs / 3), this.#stopping.signal);
        continue;
      }
      const beganAtMs = LeaseMemory.nowMs();
      const isRenewed = await this.#renewAll(await this.#askForReports());
      const tookMs = LeaseMemory.nowMs() - beganAtMs;
      await this.#sleep(isRenewed ? Math.max(0, heartbeatIntervalMs - tookMs) : retryMs);
    }
  }

  /**
   * Says whether all leases were renewed.
   * @param {ReadonlyMap<string, string | null>} reports
   */
  async #renewAll(reports) {
    // A frozen main thread cannot end its handlers in time, so its jobs must go to others.
    const moving = [...this.#memories].filter(([, memory]) => !this.#isMainThreadFrozen(memory));
    const groups = this.#isOneByOne ? moving.map((one) => [one]) : moving.length > 0 ? [moving] : [];
    let isRenewed = moving.length === this.#memories.size;
    this.#rounds += 1;
    for (const group of groups) {
      try {
        await this.#renew(group, reports);
      } catch (error) {
        isRenewed = false;
        this.#isOneByOne = true;
        if (this.#stopping.signal.aborted) break;
        this.#say(
          failureOf(
            error,
            group.map(([workerId]) => workerId),
          ),
        );
        // If PostgreSQL cannot be reached, the others would only time out one after the other.
        if (!isRefusal(error)) break;
      }
    }
    if (isRenewed) this.#isOneByOne = false;
    return isRenewed;
  }

  /** @param {LeaseMemory} memory */
  #isMainThreadFrozen({ tickAtMs, longestTimeoutMs }) {
    if (longestTimeoutMs === null) return false;
    const nowMs = LeaseMemory.nowMs();
    const movedAtMs = tickAtMs ?? this.#unansweredSinceMs ?? nowMs;
    return nowMs - movedAtMs > longestTimeoutMs + this.#settings.frozenAfterMs;
  }

  /**
   * @param {[string, LeaseMemory][]} group
   * @param {ReadonlyMap<string, string | null>} reports
   */
  async #renew(group, reports) {
    const doubts = new Map(group.map(([workerId, { doubtAtMs }]) => [workerId, doubtAtMs]));
    const requests = group.map(([workerId]) => ({
      workerId,
      report: reports.get(workerId) ?? null,
      inDoubt: doubts.get(workerId) !== null,
    }));
    const sentAtMs = LeaseMemory.nowMs();
    const answers = await this.#connection.renew(requests);
    if (this.#stopping.signal.aborted) return;
    // One of them sees to the upkeep, another one each time: it may be the one that cannot.
    const upkeeper = answers[this.#rounds % answers.length]?.workerId;
    for (const answer of answers) {
      this.#learn(answer, sentAtMs, doubts.get(answer.workerId) ?? null);
      answer.isUpkeepDue &&= answer.workerId === upkeeper;
    }
    this.#say({ kind: "answers", answers });
  }

  /**
   * @param {import("../../store/connections/heartbeat-connection.js").Renewal} answer
   * @param {number} sentAtMs
   * @param {number | null} doubtAtMs
   */
  #learn({ workerId, isAlive }, sentAtMs, doubtAtMs) {
    const memory = this.#memories.get(workerId);
    // It has left meanwhile.
    if (memory === undefined) return;
    if (isAlive) memory.renewedAtMs = sentAtMs;
    if (doubtAtMs !== null && sentAtMs - doubtAtMs >= this.#settings.doubtMs) memory.endDoubt(doubtAtMs);
    // A worker that was swept is never revived.
    if (!isAlive) this.#memories.delete(workerId);
  }

  /** @returns {Promise<ReadonlyMap<string, string | null>>} none when the main thread is too busy to say */
  #askForReports() {
    this.#unansweredSinceMs ??= LeaseMemory.nowMs();
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, reportLimitMs, new Map());
      this.#takeReports = (reports) => {
        clearTimeout(limit);
        this.#unansweredSinceMs = null;
        resolve(reports);
      };
      this.#say({ kind: "report" });
    });
  }

  /**
   * The function is the main thread's, and cannot be handed over. While a handler keeps that thread busy there is no answer, and
   * the connection is given up and tried again; one that is open needs no password.
   * @param {import("@lockstep/database").PasswordRequest} request
   * @returns {Promise<string>}
   */
  #askForPassword(request) {
    this.#passwordsAsked += 1;
    return new Promise((resolve, reject) => {
      this.#takePassword = (answer) => {
        if ("password" in answer) resolve(answer.password);
        else reject(new Error(answer.problem));
      };
      this.#say({ kind: "password", number: this.#passwordsAsked, request });
    });
  }

  /** @param {HeartbeatMessage} message */
  #say(message) {
    this.#port.postMessage(message);
  }

  /**
   * @param {number} ms
   * @param {AbortSignal} signal
   */
  async #sleep(ms, signal = this.#sleeping.signal) {
    await sleepMs(ms, undefined, { signal }).catch(() => {});
  }

  // With the connection closed, and nobody waiting at the port, nothing keeps the thread alive.
  #stop() {
    this.#stopping.abort();
    this.#sleeping.abort();
    this.#takeReports(new Map());
    this.#connection.close();
    // Not closed: Deno's port has no such method.
    this.#port.unref();
    // A name server or a server that does not answer may hold it; this ends the thread, not the process.
    setTimeout(() => process.exit(), goodbyeLimitMs).unref();
  }
}

/**
 * @param {unknown} error
 * @param {string[]} workerIds
 * @returns {HeartbeatMessage}
 */
function failureOf(error, workerIds) {
  const code = /** @type {{ code?: unknown } | null} */ (error)?.code;
  return {
    kind: "failure",
    workerIds,
    message: error instanceof Error ? error.message : String(error),
    code: typeof code === "string" ? code : null,
  };
}

// Not awaited: the thread may end, when it is stopped, before its last call has.
if (parentPort !== null) {
  LeaseMemory.catchUp(workerData.startedAtMs);
  void new HeartbeatThread(workerData, parentPort).run();
}
