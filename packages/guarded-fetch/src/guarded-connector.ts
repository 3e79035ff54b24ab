import type { LookupAddress } from "node:dns";
import { buildConnector } from "undici";
import type { AddressGuard } from "./address-guard.ts";

/** Opens a socket to one of these addresses and to no other. */
export type OpenSocket = (
  addresses: readonly LookupAddress[],
  options: buildConnector.Options,
  callback: buildConnector.Callback,
) => void;

/**
 * The check stands where connections are made, since this is the one place that sees names and literal addresses alike:
 * a `lookup` hook is never called for literals, and a check before the request leaves time for the name to turn.
 */
export function guardedConnector({
  guard,
  timeoutMs,
  open = openSocket(timeoutMs),
}: {
  guard: Pick<AddressGuard, "vet">;
  timeoutMs: number;
  open?: OpenSocket | undefined;
}): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port || (options.protocol === "https:" ? 443 : 80));
    guard
      .vet(options.hostname, port)
      .then((addresses) => open(addresses, options, callback))
      .catch((error: Error) => callback(error, null));
  };
}

function openSocket(timeoutMs: number): OpenSocket {
  return (addresses, options, callback) => {
    const [first] = addresses;
    if (first === undefined) throw new Error("There is no address to connect to.");
    const connect = buildConnector({
      timeout: timeoutMs,
      // The name stays for the certificate; where it leads was decided above.
      lookup: (_hostname, { all }, answer) => {
        if (all) answer(null, [...addresses]);
        else answer(null, first.address, first.family);
      },
    });
    connect(options, callback);
  };
}
