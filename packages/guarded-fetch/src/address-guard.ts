import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { AllowList } from "./allow-list.ts";
import { FetchError } from "./fetch-error.ts";
import { whyNotPublic } from "./public-address.ts";

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

const ports: Record<string, number> = { "http:": 80, "https:": 443 };
// Names of one's own machine and network, whatever the resolver makes of them.
const privateNames = /(^|\.)(localhost|local|internal|localdomain|home\.arpa)$/;

/** Decides which hosts may be spoken to: those of the public internet, and what its allow-list adds. */
export class AddressGuard {
  readonly #allowed: AllowList;
  readonly #resolve: Resolve;

  constructor({ allow = [], resolve = resolveAll }: { allow?: readonly string[]; resolve?: Resolve } = {}) {
    this.#allowed = new AllowList(allow);
    this.#resolve = resolve;
  }

  /** Refuses what can be told from the address alone, before anything is resolved. */
  checkUrl(url: URL): void {
    const standardPort = ports[url.protocol];
    if (standardPort === undefined) {
      throw new FetchError("url", `${shown(url)} is not read: only http and https are.`);
    }
    if (url.username !== "" || url.password !== "") {
      throw new FetchError("url", `${shown(url)} is not read: an address with a user name in it is refused.`);
    }
    const host = bareHost(url.hostname);
    const port = Number(url.port || standardPort);
    const isAllowed = this.#allowed.hasName(host, port) || this.#allowed.hasAddress(host, port);
    if (url.port !== "" && port !== 80 && port !== 443 && !isAllowed) {
      throw new FetchError(
        "port",
        `${shown(url)} is not read: port ${port} is neither 80 nor 443 and not allowed.`,
      );
    }
    if (!isAllowed) this.#checkHost(host, port);
  }

  /** The addresses to connect to. Called for each connection, so that a name is resolved once and cannot turn. */
  async vet(hostname: string, port: number): Promise<LookupAddress[]> {
    const host = bareHost(hostname);
    if (ipaddr.isValid(host)) {
      this.#checkHost(host, port);
      return [{ address: host, family: ipaddr.parse(host).kind() === "ipv4" ? 4 : 6 }];
    }
    const isNamed = this.#allowed.hasName(host, port);
    if (!isNamed) this.#checkHost(host, port);
    const addresses = await this.#addressesOf(host);
    // One private address among public ones is refused too: which of them gets used is not ours to choose.
    if (!isNamed) for (const { address } of addresses) this.#checkAddress(host, address, port);
    return addresses;
  }

  #checkHost(host: string, port: number): void {
    if (ipaddr.isValid(host)) this.#checkAddress(host, host, port);
    else if (privateNames.test(host)) {
      throw new FetchError("address", `${host} is not read: it is a name of a private network.`);
    }
  }

  #checkAddress(host: string, address: string, port: number): void {
    const why = whyNotPublic(address);
    if (why === null || this.#allowed.hasAddress(address, port)) return;
    const what = host === address ? host : `${host} (${address})`;
    throw new FetchError("address", `${what} is not read: the address is not public but ${why}.`);
  }

  async #addressesOf(host: string): Promise<LookupAddress[]> {
    try {
      const addresses = await this.#resolve(host);
      if (addresses.length > 0) return addresses;
    } catch (error) {
      // "Try again" is the resolver's trouble; anything else is its answer.
      const isFinal = (error as { code?: unknown }).code !== "EAI_AGAIN";
      throw new FetchError("name", `The name ${host} could not be resolved.`, { isFinal, cause: error });
    }
    throw new FetchError("name", `The name ${host} has no address.`);
  }
}

function resolveAll(hostname: string): Promise<LookupAddress[]> {
  return lookup(hostname, { all: true });
}

/** Without the brackets of IPv6 and the dot of the root, both of which name the same host. */
function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.+$/, "")
    .toLowerCase();
}

/** For messages: never with a password. */
function shown(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`.slice(0, 200);
}
