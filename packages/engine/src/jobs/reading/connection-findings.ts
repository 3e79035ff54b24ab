import type { Finding } from "./finding.ts";

/** What was observed about the connection between this process and PostgreSQL. */
export interface ConnectionProbe {
  readonly roundTripMs: number;
  /** How far the server's clock is ahead of ours; negative: behind. */
  readonly serverAheadMs: number;
  readonly pooler: "none" | "session" | "transaction";
  /** Whether a notification came; null where none can. */
  readonly isNotified: boolean | null;
  /** A standby, say, which has no notifications; the database finds it among its settings. */
  readonly isInRecovery: boolean;
  /** Local: on this machine, where nobody listens between the two. */
  readonly encryption: "local" | "none" | "unverified" | "verified";
}

export interface ConnectionSettings {
  readonly transactionPooler: boolean;
  readonly listenUrl: string | null;
}

const slowRoundTripMs = 20;
const clockDifferenceMs = 2_000;

/** The way to the database, check by check. */
export function connectionFindings(probe: ConnectionProbe, settings: ConnectionSettings): Finding[] {
  return [
    roundTrip(probe),
    clockDifference(probe),
    encryption(probe),
    pooler(probe, settings),
    ...(probe.isInRecovery ? [] : [notifications(probe, settings)]),
  ];
}

function roundTrip({ roundTripMs }: ConnectionProbe): Finding {
  const finding = `an empty statement takes ${roundTripMs.toFixed(1)} ms, there and back`;
  return roundTripMs > slowRoundTripMs
    ? trouble(
        "round trip",
        "warn",
        finding,
        "Every claim and every add takes at least as long: let the workers run near the database.",
      )
    : fine("round trip", finding);
}

function clockDifference({ serverAheadMs }: ConnectionProbe): Finding {
  const seconds = (Math.abs(serverAheadMs) / 1_000).toFixed(1);
  const side = serverAheadMs > 0 ? "ahead of" : "behind";
  return Math.abs(serverAheadMs) > clockDifferenceMs
    ? trouble(
        "clock",
        "warn",
        `the server's clock is ${seconds} s ${side} this machine's`,
        "Only times that you compare, such as those in logs, are affected: PostgreSQL's clock alone decides. Let both follow a time server.",
      )
    : fine("clock", "the clocks of the server and this machine agree");
}

function encryption(probe: ConnectionProbe): Finding {
  const advice =
    "Add sslmode=verify-full to databaseUrl, or ssl: true to connection, and sslrootcert or ssl: { ca } where an authority of your own has signed the server's certificate.";
  switch (probe.encryption) {
    case "none":
      return trouble("encryption", "warn", "what goes to PostgreSQL and back can be read on its way", advice);
    case "unverified":
      return trouble(
        "encryption",
        "warn",
        "nobody has checked that the server is the one it says it is",
        advice,
      );
    case "local":
      return fine("encryption", "PostgreSQL is on this machine");
    default:
      return fine("encryption", "the way is encrypted, and the server's certificate was checked");
  }
}

function pooler(probe: ConnectionProbe, { transactionPooler }: ConnectionSettings): Finding {
  if (probe.pooler === "transaction" && !transactionPooler) {
    return trouble(
      "pooler",
      "bad",
      "a transaction pooler stands before PostgreSQL, and the engine was not told",
      "Set transactionPooler: true, and listenUrl to a direct URL if there is one.",
    );
  }
  const seen = {
    none: "no pooler stands before PostgreSQL",
    session: "a pooler stands before PostgreSQL, and leaves each connection its session",
    transaction: "a transaction pooler stands before PostgreSQL, as the engine was told",
  };
  return fine("pooler", seen[probe.pooler]);
}

function notifications({ isNotified }: ConnectionProbe, { listenUrl }: ConnectionSettings): Finding {
  if (isNotified === true) return fine("listen and notify", "a notification arrives");
  return isNotified === null
    ? trouble(
        "listen and notify",
        "warn",
        "workers are not woken and only poll: a transaction pooler passes on no notification",
        "Set listenUrl to a URL that leads to PostgreSQL without the pooler.",
      )
    : trouble(
        "listen and notify",
        "warn",
        "a notification was sent and did not arrive within two seconds",
        `Workers then only poll. See what stands between this process and ${listenUrl === null ? "PostgreSQL" : "the server of listenUrl"}.`,
      );
}

function fine(check: string, finding: string): Finding {
  return { check, severity: "ok", finding, advice: null, repairSql: null };
}

function trouble(check: string, severity: "warn" | "bad", finding: string, advice: string): Finding {
  return { check, severity, finding, advice, repairSql: null };
}
