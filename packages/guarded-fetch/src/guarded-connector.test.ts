import type { buildConnector } from "undici";
import { expect, test } from "vitest";
import { AddressGuard } from "./address-guard.ts";
import { guardedConnector } from "./guarded-connector.ts";

/** What the connector does with a host by itself, without the check that comes before a request. */
async function connectTo(hostname: string, allow: string[] = []) {
  const opened: string[][] = [];
  const connect = guardedConnector({
    guard: new AddressGuard({
      allow,
      resolve: async () => [
        { address: "93.184.216.34", family: 4 },
        { address: "2606:2800:220:1::1", family: 6 },
      ],
    }),
    timeoutMs: 1_000,
    open: (addresses, _options, callback) => {
      opened.push(addresses.map(({ address }) => address));
      callback(new Error("the test opens no socket"), null);
    },
  });
  const options = { hostname, protocol: "http:", port: "80" } as buildConnector.Options;
  const error = await new Promise((resolve) => connect(options, (...[error]) => resolve(error)));
  return { opened, error };
}

test.each([
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f.1",
  "::1",
  "[::1]",
  "::ffff:127.0.0.1",
  "64:ff9b::7f00:1",
  "169.254.169.254",
  "localhost",
  "localhost.",
  "db.internal",
])("a connection to %s is refused where it would be opened", async (hostname) => {
  const { opened, error } = await connectTo(hostname);
  expect(error).toMatchObject({ name: "FetchError", kind: "address" });
  expect(opened).toEqual([]);
});

test("a public name is connected to by the addresses that were vetted, and by no others", async () => {
  expect((await connectTo("example.org")).opened).toEqual([["93.184.216.34", "2606:2800:220:1::1"]]);
});

test("an allowed address is connected to", async () => {
  expect((await connectTo("127.0.0.1", ["127.0.0.1:80"])).opened).toEqual([["127.0.0.1"]]);
});
