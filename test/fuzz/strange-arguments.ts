import { strangeTexts } from "../scenarios/requests/garbage.ts";
import type { SeededRandom } from "../scenarios/requests/seeded-random.ts";

/** What makes sense for an argument of this name, so that not every call ends at the first check. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

const integers = ["0", "1", "-1", "2", "7", "21", "32767", "32768", "2147483647", "-2147483648"];
const bigints = [...integers, "9223372036854775807", "-9223372036854775808"];
const intervals = [
  ...["0", "1 second", "-1 second", "30 seconds", "1 day", "-1 day", "1000 years", "178000000 years"],
  ...["1 month 1 day -1 hour", "0.000001 seconds"],
];
const instants = [
  ...["infinity", "-infinity", "epoch", "now", "4714-11-24 00:00:00+00 BC", "294276-12-31 23:59:59+00"],
  ...["2026-11-16T12:00:00Z", "2100-01-01"],
];
const deep = `${"[".repeat(500)}${"]".repeat(500)}`;
const documents = [
  ...[
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "12345678901234567890",
    '"text"',
    '""',
    "[]",
    "{}",
    "[[]]",
    "[null]",
  ],
  ...['{"__proto__": {"isAdmin": true}}', '{"": null}', '{"a": {"b": {"c": [1, 2, {"d": null}]}}}', deep],
  ...['[{"pipeline": "orders"}]', '[{"pipeline": null}]', '[{"pipeline": "orders", "priority": 99}]'],
  ...['[{"name": "read"}]', '[{"name": "read"}, {"name": "read"}]', '[{"name": ""}]', '[{"name": 7}]'],
  ...['[{"pipeline": "orders", "id": "no uuid"}]', '[{"pipeline": "orders", "scheduledFor": "never"}]'],
  ...['{"outcome": "done"}', '[{"outcome": "gone"}]', '[{"outcome": "retry", "delayMs": -5}]'],
  ...[
    '[{"outcome": "snooze", "delayMs": 9e18}]',
    '{"forMs": -1}',
    '{"debounceMs": 1e30}',
    '{"status": ["failed"]}',
  ],
  ...['{"cursor": "x", "limit": -1}', `"${"x".repeat(300_000)}"`],
];

/** A value for an argument of this type, as text that PostgreSQL is to read: fitting, odd, or none at all. */
export function strangeArgument(name: string, type: string, known: Known, random: SeededRandom): unknown {
  if (random.chance(0.1)) return null;
  const fitting = known[name];
  if (fitting !== undefined && random.chance(0.6)) return random.pick(fitting);
  if (type.endsWith("[]")) {
    const length = random.below(4);
    return Array.from({ length }, () => strangeArgument(name, type.slice(0, -2), {}, random));
  }
  switch (type) {
    case "uuid":
      return random.chance(0.5) ? random.uuid() : "00000000-0000-0000-0000-000000000000";
    case "integer":
    case "smallint":
      return random.pick(integers);
    case "bigint":
    case "numeric":
    case "double precision":
      return random.pick(bigints);
    case "boolean":
      return random.chance(0.5);
    case "interval":
      return random.pick(intervals);
    case "timestamp with time zone":
      return random.pick(instants);
    case "json":
    case "jsonb":
      return random.pick(documents);
    default:
      return random.pick(strangeTexts);
  }
}
