import { sessionSettings } from "./session-settings.js";

/**
 * @typedef {object} ConnectionLimits
 * @property {import("@lockstep/database/connector").Hosts} target
 * @property {string} renewal the statement that renews, for the schema of these workers
 * @property {boolean} transactionPooler
 * @property {number} leaseMs
 * @property {number} upkeepAfterMs from when on the fleet's upkeep is overdue
 */

/**
 * @typedef {object} HeldClaim
 * @property {string} id
 * @property {string} token
 */

/**
 * @typedef {object} RenewalRequest
 * @property {string} workerId
 * @property {string | null} report as JSON text
 * @property {boolean} inDoubt whether to answer what the worker holds
 */

/**
 * @typedef {object} Renewal
 * @property {string} workerId
 * @property {boolean} isAlive false: swept, or unknown
 * @property {string[]} cancel held jobs that are to be cancelled
 * @property {HeldClaim[] | null} held null unless it was asked for
 * @property {boolean} isUpkeepDue
 */

/** The statement that renews, for the schema of the usual name. */
export const renewal = `select alive, cancel, held, is_upkeep_due
from lockstep.renew_leases(p_worker_ids => $1, p_reports => $2, p_in_doubt => $3, p_upkeep_after => $4)`;

/** The heartbeat's own connection: opened when it is needed, thrown away after any error. */
export class HeartbeatConnection {
  #limits;
  #askPassword;
  /** @type {import("@lockstep/database/connector").Connector | null} */
  #connector = null;
  /**
   * Prepared once; a transaction pooler would lose it.
   * @type {string | undefined}
   */
  #statementName;
  /** @type {string} */
  #renewal;
  /** @type {string} */
  #upkeepAfter;
  /** @type {import("pg").Client | null} */
  #client = null;

  /**
   * @param {ConnectionLimits} limits
   * @param {import("@lockstep/database").PasswordFunction | null} askPassword
   */
  constructor(limits, askPassword) {
    this.#limits = limits;
    this.#askPassword = askPassword;
    this.#renewal = limits.renewal;
    this.#upkeepAfter = `${limits.upkeepAfterMs} milliseconds`;
    this.#statementName = limits.transactionPooler ? undefined : "lockstep_heartbeat";
  }

  /**
   * Renews the leases on PostgreSQL's clock, all or none.
   * @param {RenewalRequest[]} requests
   * @returns {Promise<Renewal[]>}
   */
  async renew(requests) {
    try {
      const client = await this.#connected();
      const { rows } = await client.query({
        name: this.#statementName,
        text: this.#renewal,
        values: [
          requests.map(({ workerId }) => workerId),
          requests.map(({ report }) => report),
          requests.map(({ inDoubt }) => inDoubt),
          this.#upkeepAfter,
        ],
      });
      return requests.map(({ workerId, inDoubt }, index) => {
        const { alive: isAlive, cancel, held, is_upkeep_due: isUpkeepDue } = rows[index];
        return { workerId, isAlive, cancel, held: inDoubt ? (held ?? []) : null, isUpkeepDue };
      });
    } catch (error) {
      // After a timeout the client would still be busy with the old statement.
      this.close();
      throw error;
    }
  }

  /** What is under way fails at once. */
  close() {
    this.#client?.end().catch(() => {});
    this.#client = null;
  }

  async #connected() {
    if (this.#client !== null) return this.#client;
    // Loaded with the first connection, not with the thread: a starting process has better things to do.
    const { default: pg } = await import("pg");
    const { Connector } = await import("@lockstep/database/connector");
    const { target, transactionPooler: isPooled } = this.#limits;
    const clientLimitMs = clientLimit(this.#limits);
    // The server's limit is below the client's, so that a slow statement ends with a clean error.
    const statementTimeoutMs = Math.min(3_000, Math.round(clientLimitMs * 0.6));
    const startup = sessionSettings({ statementTimeoutMs, isPooled });
    const password = this.#askPassword;
    this.#connector ??= new Connector({ Client: pg.Client, target, password, startup, isPooled });
    // One host at a time: a failed heartbeat is tried again soon, and then at the next.
    const client = new this.#connector.Client({
      connectionTimeoutMillis: clientLimitMs,
      query_timeout: clientLimitMs,
      keepAlive: true,
      ...(isPooled ? {} : { application_name: "lockstep heartbeat" }),
    });
    this.#client = client;
    client.on("error", () => {
      if (this.#client === client) this.close();
    });
    await client.connect();
    return client;
  }
}

/**
 * Whether PostgreSQL itself refused, on a connection that worked: only its own errors have a severity.
 * @param {unknown} error
 */
export function isRefusal(error) {
  return typeof (/** @type {{ severity?: unknown } | null} */ (error)?.severity) === "string";
}

/**
 * A lease shorter than usual has no time for the usual limit: one connection that hangs would lose it.
 * @param {ConnectionLimits} limits
 */
function clientLimit({ leaseMs }) {
  return Math.min(5_000, Math.max(500, Math.round(leaseMs / 3)));
}
