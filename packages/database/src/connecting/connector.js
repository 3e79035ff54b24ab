// Plain JavaScript: the heartbeat's thread uses it too, which is started without the loader that reads TypeScript.
import { checkServerIdentity } from "node:tls";

/**
 * What node-postgres is told of one host.
 * @typedef {Pick<import("pg").ClientConfig, "connectionString" | "host" | "port" | "user" | "database" | "ssl" | "options">
 *   & { password?: string | undefined }} HostConfig
 */

/**
 * The part of a target that a thread can be given.
 * @typedef {object} Hosts
 * @property {readonly HostConfig[]} hosts in the order in which they are tried
 * @property {"any" | "read-write" | "primary"} accepts what a server must be
 */

/**
 * @typedef {object} ConnectorParts
 * @property {typeof import("pg").Client} Client of node-postgres
 * @property {Hosts} target
 * @property {import("./connection-options.ts").PasswordFunction | null} password
 * @property {Readonly<Record<string, string>>} startup settings of the session, which go with the connection's first message
 * @property {boolean} isPooled what a pooler reports of the server may be old
 */

/** No host could be used. The message says of each why. */
export const noUsableHost = "NO_USABLE_HOST";
export const passwordFailed = "PASSWORD_FUNCTION_FAILED";

const roleQuery = `select case when pg_is_in_recovery() then 'on' else 'off' end as standby,
  current_setting('transaction_read_only') as read_only`;

/**
 * Makes connections to the first of some hosts that can be used, and goes on with that one. It finds out what a server is from
 * what PostgreSQL reports while connecting, so this takes no round trip.
 */
export class Connector {
  #parts;
  #current = 0;
  /**
   * Why each host could not be used the last time it was tried.
   * @type {Map<number, { place: string, error: Error }>}
   */
  #failures = new Map();
  /**
   * Errors of connections that did not come about: nothing has been sent, and another host may be tried.
   * @type {WeakSet<object>}
   */
  #refusals = new WeakSet();

  /** @param {ConnectorParts} parts */
  constructor(parts) {
    this.#parts = parts;
    /** For a pool: each of its clients takes the host that is current when it is made. */
    this.Client = clientClass(this, parts);
  }

  get current() {
    return this.#current;
  }

  /**
   * Of all hosts.
   * @param {import("pg").ClientConfig} config
   * @returns {Promise<import("pg").Client>}
   */
  async open(config) {
    for (let tries = 1; ; tries += 1) {
      const client = new this.Client(config);
      try {
        await client.connect();
        return client;
      } catch (error) {
        if (!this.hasAnother(error, tries)) throw this.explained(error);
      }
    }
  }

  /**
   * Whether another host is to be tried, after so many.
   * @param {unknown} error
   * @param {number} tries
   */
  hasAnother(error, tries) {
    return tries < this.#parts.target.hosts.length && this.#isRefusal(error) && !endsSearch(error);
  }

  /**
   * With several hosts, an error that says why each of them could not be used.
   * @param {unknown} error
   */
  explained(error) {
    const failures = [...this.#failures].sort(([one], [other]) => one - other).map(([, failure]) => failure);
    if (failures.length < 2 || !this.#isRefusal(error) || endsSearch(error)) return error;
    const [code, ...others] = new Set(failures.map((failure) => codeOf(failure.error)));
    const message = failures.map(({ place, error: { message: why } }) => `${place}: ${why}`).join("; ");
    return Object.assign(new Error(message, { cause: error }), {
      code: others.length === 0 ? code : noUsableHost,
    });
  }

  /**
   * @param {number} index
   * @param {string} place
   * @param {Error} error
   */
  failed(index, place, error) {
    this.#refusals.add(error);
    this.#failures.set(index, { place, error });
    // Whoever was slower finds that another has moved on already.
    if (this.#current === index && !endsSearch(error))
      this.#current = (index + 1) % this.#parts.target.hosts.length;
  }

  /** @param {unknown} error */
  #isRefusal(error) {
    // A pool that has lost its patience wraps the error.
    const { cause } = /** @type {{ cause?: unknown }} */ (error ?? {});
    return [error, cause].some((one) => isObject(one) && this.#refusals.has(one));
  }
}

/**
 * @param {Connector} connector
 * @param {ConnectorParts} parts
 * @returns {typeof import("pg").Client}
 */
function clientClass(connector, { Client, target: { hosts, accepts }, password, startup, isPooled }) {
  return class extends Client {
    #index;
    /**
     * What PostgreSQL reports of its own accord.
     * @type {Map<string, string>}
     */
    #reported = new Map();
    #isUsed = false;

    /** @param {import("pg").ClientConfig} config */
    constructor(config) {
      const index = connector.current;
      super({ ...config, ...hostConfig(hosts[index] ?? {}) });
      this.#index = index;
      const ssl = hosts[index]?.ssl;
      if (typeof ssl === "object" && ssl.servername !== undefined) greetAs(this, ssl.servername);
      // A connection that breaks while idle must not end the process; the next query reports it.
      this.on("error", () => {});
      if (password !== null) Object.assign(this, { password: () => this.#askPassword(password) });
      if (accepts !== "any" && !isPooled) {
        connectionOf(this).on("parameterStatus", ({ parameterName, parameterValue }) => {
          this.#reported.set(parameterName, parameterValue);
          // A listener, which writes nothing, would otherwise stay with a server that has been made read-only.
          if (this.#isUsed && this.#reportedProblem() !== null) connectionOf(this).stream.destroy();
        });
      }
    }

    getStartupConf() {
      // @ts-expect-error: node-postgres has it, and its types do not.
      return { ...super.getStartupConf(), ...startup };
    }

    /**
     * @override
     * @param {(error: any, client?: any) => void} [callback]
     * @returns {any}
     */
    connect(callback) {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      connected.then(() => callback(null), callback);
    }

    async #connect() {
      try {
        await super.connect();
        const problem = accepts === "any" ? null : await this.#problem();
        if (problem !== null) throw Object.assign(new Error(problem), { code: noUsableHost });
        this.#isUsed = true;
        return this;
      } catch (thrown) {
        // Otherwise a server that waits for a password would keep the socket, and that the process.
        connectionOf(this).stream.destroy();
        // Not by its class: a test runner's sandbox has an Error of its own, and sockets do not throw that one.
        const error = isObject(thrown) ? /** @type {Error} */ (thrown) : new Error(String(thrown));
        connector.failed(this.#index, `${this.host}:${this.port}`, error);
        throw error;
      }
    }

    async #problem() {
      if (this.#reported.has("in_hot_standby")) return this.#reportedProblem();
      const { rows } = await this.query(roleQuery);
      return problemOf(accepts, rows[0]);
    }

    #reportedProblem() {
      return problemOf(accepts, {
        standby: this.#reported.get("in_hot_standby"),
        read_only: this.#reported.get("default_transaction_read_only"),
      });
    }

    /** @param {import("./connection-options.ts").PasswordFunction} ask */
    async #askPassword(ask) {
      const { host, port, user = "", database = "" } = this;
      try {
        const answer = await ask({ host, port, user, database });
        if (typeof answer !== "string" || answer === "") throw new TypeError("it returned no text");
        return answer;
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw Object.assign(new Error(why, { cause }), { code: passwordFailed });
      }
    }
  };
}

/**
 * Why a server cannot be used.
 * @param {Hosts["accepts"]} accepts
 * @param {{ standby?: string | undefined, read_only?: string | undefined }} found each "on" or "off"
 */
function problemOf(accepts, { standby, read_only: readOnly }) {
  if (standby === "on") return "it is a standby";
  return readOnly === "on" && accepts === "read-write"
    ? "it is read-only (default_transaction_read_only)"
    : null;
}

/**
 * A copy, since node-postgres changes the ssl that it is given.
 * @param {HostConfig} config
 * @returns {HostConfig}
 */
function hostConfig({ ssl, ...rest }) {
  if (ssl === undefined) return rest;
  if (typeof ssl !== "object" || ssl.servername === undefined) {
    return { ...rest, ssl: typeof ssl === "object" ? { ...ssl } : ssl };
  }
  const { servername } = ssl;
  // Left to itself, node-postgres asks for the certificate of the host, whatever servername says.
  return {
    ...rest,
    ssl: { ...ssl, checkServerIdentity: (_host, cert) => checkServerIdentity(servername, cert) },
  };
}

/**
 * Sends the name in the handshake, for a proxy that chooses the server by it. Left to itself, node-postgres sends the name of the
 * host, and servername only if the host is an address.
 * @param {import("pg").Client} client
 * @param {string} servername
 */
function greetAs(client, servername) {
  const connection = connectionOf(client);
  const { upgradeToSSL } = connection;
  connection.upgradeToSSL = (_host, onError) => upgradeToSSL.call(connection, servername, onError);
}

/**
 * @typedef {(host: string, onError: (error: Error) => void) => void} UpgradeToSSL
 * @param {import("pg").Client} client
 * @returns {import("node:events").EventEmitter & { stream: { destroy(): void }, upgradeToSSL: UpgradeToSSL }}
 */
function connectionOf(client) {
  return /** @type {any} */ (client).connection;
}

/**
 * A pooler stands in between, and refuses settings of the session.
 * @param {unknown} error
 */
export function isStartupRefusal(error) {
  const { message } = /** @type {{ message?: unknown }} */ (error ?? {});
  return codeOf(error) === "08P01" && String(message).includes("unsupported startup parameter");
}

/**
 * A user whom one host refuses is not passed on to the next, as with libpq: it is the password that is wrong. Nor is one whose
 * settings a pooler refuses: they have to go.
 * @param {unknown} error
 */
function endsSearch(error) {
  return codeOf(error).startsWith("28") || isStartupRefusal(error);
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** @param {unknown} error */
function codeOf(error) {
  const code = /** @type {{ code?: unknown } | null} */ (error)?.code;
  return typeof code === "string" ? code : "";
}
