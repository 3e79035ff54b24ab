import ipaddr from "ipaddr.js";

interface Entry {
  readonly name: string | null;
  readonly range: ReturnType<typeof ipaddr.parseCIDR> | null;
  /** Null for any. */
  readonly port: number | null;
}

/** What may be read although the rules refuse it: names, addresses and blocks of them, with or without a port. */
export class AllowList {
  readonly #entries: readonly Entry[];

  /** Such as `127.0.0.1:8080`, `10.1.0.0/16`, `[::1]:3000`, `intranet.example`. */
  constructor(entries: readonly string[]) {
    this.#entries = entries.map(entryOf);
  }

  /** A name in the list allows whatever it resolves to. */
  hasName(hostname: string, port: number): boolean {
    return this.#entries.some((entry) => entry.name === hostname && fits(entry, port));
  }

  hasAddress(address: string, port: number): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.#entries.some(
      ({ range, port: only }) =>
        range !== null &&
        range[0].kind() === parsed.kind() &&
        parsed.match(range) &&
        fits({ port: only }, port),
    );
  }
}

function fits({ port: only }: Pick<Entry, "port">, port: number): boolean {
  return only === null || only === port;
}

function entryOf(text: string): Entry {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^\][]+?))(?::(\d{1,5}))?$/.exec(
    isBareV6(text) ? `[${text}]` : text,
  ) ?? [null, null, null, null];
  const host = bracketed ?? plain;
  const port = portText ? Number(portText) : null;
  if (!host || (port !== null && (port < 1 || port > 65_535))) throw refusal(text);
  // Four parts: 1.2.3 hardly means what the old rules turn it into.
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host);
  if (isAddress) return { name: null, range: wholeAddress(host), port };
  if (ipaddr.isValidCIDR(host)) return { name: null, range: ipaddr.parseCIDR(host), port };
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(host) || /^[\d.]+$/.test(host)) throw refusal(text);
  return { name: host.toLowerCase(), range: null, port };
}

function isBareV6(text: string): boolean {
  const [address = ""] = text.split("/");
  return !text.startsWith("[") && ipaddr.IPv6.isValid(address);
}

function wholeAddress(host: string): ReturnType<typeof ipaddr.parseCIDR> {
  const address = ipaddr.process(host);
  return [address, address.kind() === "ipv4" ? 32 : 128] as ReturnType<typeof ipaddr.parseCIDR>;
}

function refusal(text: string): RangeError {
  return new RangeError(
    `"${text}" is not an entry of an allow-list: give a name, an address or a block such as 10.1.0.0/16, with :port for a single port.`,
  );
}
