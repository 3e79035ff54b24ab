import { expect, test } from "vitest";
import { type ConnectionProbe, type ConnectionSettings, connectionFindings } from "./connection-findings.ts";

const direct: ConnectionProbe = {
  roundTripMs: 0.3,
  serverAheadMs: 4,
  pooler: "none",
  isNotified: true,
  isInRecovery: false,
  encryption: "verified",
};
const plain: ConnectionSettings = { transactionPooler: false, listenUrl: null };

function severities(probe: Partial<ConnectionProbe>, settings: Partial<ConnectionSettings> = {}) {
  const findings = connectionFindings({ ...direct, ...probe }, { ...plain, ...settings });
  return findings.filter(({ severity }) => severity !== "ok").map(({ check, severity }) => [check, severity]);
}

test.each<[string, Partial<ConnectionProbe>, Partial<ConnectionSettings>, string[][]]>([
  ["a direct way", {}, {}, []],
  ["a long way", { roundTripMs: 35 }, {}, [["round trip", "warn"]]],
  ["a server whose clock is behind", { serverAheadMs: -2_500 }, {}, [["clock", "warn"]]],
  ["a server whose clock is ahead", { serverAheadMs: 90_000 }, {}, [["clock", "warn"]]],
  ["a server on this machine", { encryption: "local" }, {}, []],
  ["a way that anybody can read", { encryption: "none" }, {}, [["encryption", "warn"]]],
  ["a server that may be another", { encryption: "unverified" }, {}, [["encryption", "warn"]]],
  ["a session pooler", { pooler: "session" }, {}, []],
  [
    "a transaction pooler nobody told of",
    { pooler: "transaction", isNotified: null },
    {},
    [
      ["pooler", "bad"],
      ["listen and notify", "warn"],
    ],
  ],
  [
    "a transaction pooler with a direct way to listen",
    { pooler: "transaction" },
    { transactionPooler: true, listenUrl: "postgres://direct" },
    [],
  ],
  ["a standby, which the database tells of itself", { isNotified: null, isInRecovery: true }, {}, []],
  ["notifications that do not arrive", { isNotified: false }, {}, [["listen and notify", "warn"]]],
])("%s", (_what, probe, settings, expected) => {
  expect(severities(probe, settings)).toEqual(expected);
});

test("says by how much the clocks differ, and on which side", () => {
  const [, clock] = connectionFindings({ ...direct, serverAheadMs: -2_500 }, plain);
  expect(clock?.finding).toBe("the server's clock is 2.5 s behind this machine's");
});
