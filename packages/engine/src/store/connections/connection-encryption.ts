import type { ConnectionProbe } from "../../jobs/reading/connection-findings.ts";

/** What a socket of Node tells of itself, with TLS or without. */
export interface SocketFacts {
  readonly remoteAddress?: string | undefined;
  readonly encrypted?: boolean | undefined;
  readonly authorized?: boolean | undefined;
}

/** A socket of the file system has no address: its other end is on this machine. */
export function encryptionOf({
  remoteAddress,
  encrypted,
  authorized,
}: SocketFacts): ConnectionProbe["encryption"] {
  if (remoteAddress === undefined || /^(127\.|::1$|::ffff:127\.)/.test(remoteAddress)) return "local";
  if (encrypted !== true) return "none";
  return authorized === true ? "verified" : "unverified";
}
