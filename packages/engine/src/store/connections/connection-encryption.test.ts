import { expect, test } from "vitest";
import { encryptionOf, type SocketFacts } from "./connection-encryption.ts";

const remoteAddress = "192.0.2.7";

test.each<[string, SocketFacts, string]>([
  ["a socket of the file system", {}, "local"],
  ["this machine", { remoteAddress: "127.0.0.1" }, "local"],
  ["this machine by its other address", { remoteAddress: "::1" }, "local"],
  ["another machine", { remoteAddress }, "none"],
  ["another machine, by a name like this one's", { remoteAddress: "1270::1" }, "none"],
  ["TLS to whoever answers", { remoteAddress, encrypted: true, authorized: false }, "unverified"],
  [
    "TLS with a certificate that was checked",
    { remoteAddress, encrypted: true, authorized: true },
    "verified",
  ],
])("%s", (_what, socket, encryption) => {
  expect(encryptionOf(socket)).toBe(encryption);
});
