import { describe, expect, test } from "vitest";
import { Cron } from "./cron.ts";
import { ScheduleError } from "./schedule-error.ts";

/** The first ticks after a moment, as the wall clock of the zone shows them, with its distance from UTC. */
function ticks(pattern: string, zone: string, after: string, count: number): string[] {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "longOffset",
  });
  return new Cron(pattern, zone)
    .nextFew(new Date(after), count)
    .map((tick) => format.format(tick).replaceAll("−", "-").replace("GMT", ""));
}

interface Change {
  zone: string;
  /** Some hours before the clocks are set. */
  before: string;
  /** A named time that is leapt over, or shown twice; and when it comes on that day and the next. */
  named: [pattern: string, first: string, second: string];
  /** Every hour on the half, through the change. */
  hourly: string[];
  /** Every quarter of an hour, through the change. */
  quarterly: string[];
}

const springs: Change[] = [
  {
    zone: "America/New_York",
    before: "2026-03-08T05:31:00Z",
    named: ["30 2 * * *", "08/03 03:00 -04:00", "09/03 02:30 -04:00"],
    hourly: ["08/03 01:30 -05:00", "08/03 03:30 -04:00", "08/03 04:30 -04:00"],
    quarterly: ["01:30 -05:00", "01:45 -05:00", "03:00 -04:00", "03:15 -04:00"],
  },
  {
    zone: "Europe/Berlin",
    before: "2026-03-28T23:31:00Z",
    named: ["15,45 2 * * *", "29/03 03:00 +02:00", "30/03 02:15 +02:00"],
    hourly: ["29/03 01:30 +01:00", "29/03 03:30 +02:00", "29/03 04:30 +02:00"],
    quarterly: ["01:30 +01:00", "01:45 +01:00", "03:00 +02:00", "03:15 +02:00"],
  },
  {
    // Half an hour, from 02:00 to 02:30.
    zone: "Australia/Lord_Howe",
    before: "2026-10-03T14:31:00Z",
    named: ["15 2 * * *", "04/10 02:30 +11:00", "05/10 02:15 +11:00"],
    hourly: ["04/10 01:30 +10:30", "04/10 02:30 +11:00", "04/10 03:30 +11:00"],
    quarterly: ["01:30 +10:30", "01:45 +10:30", "02:30 +11:00", "02:45 +11:00"],
  },
  {
    // At midnight: the day begins at 01:00.
    zone: "America/Santiago",
    before: "2026-09-06T02:31:00Z",
    named: ["0 0 * * *", "06/09 01:00 -03:00", "07/09 00:00 -03:00"],
    hourly: ["05/09 23:30 -04:00", "06/09 01:30 -03:00", "06/09 02:30 -03:00"],
    quarterly: ["23:30 -04:00", "23:45 -04:00", "01:00 -03:00", "01:15 -03:00"],
  },
  {
    // Never.
    zone: "Asia/Kolkata",
    before: "2026-03-28T20:01:00Z",
    named: ["30 2 * * *", "29/03 02:30 +05:30", "30/03 02:30 +05:30"],
    hourly: ["29/03 02:30 +05:30", "29/03 03:30 +05:30", "29/03 04:30 +05:30"],
    quarterly: ["02:30 +05:30", "02:45 +05:30", "03:00 +05:30", "03:15 +05:30"],
  },
];

const autumns: Change[] = [
  {
    zone: "America/New_York",
    before: "2026-11-01T04:31:00Z",
    named: ["30 1 * * *", "01/11 01:30 -04:00", "02/11 01:30 -05:00"],
    hourly: ["01/11 01:30 -04:00", "01/11 01:30 -05:00", "01/11 02:30 -05:00"],
    quarterly: ["01:30 -04:00", "01:45 -04:00", "01:00 -05:00", "01:15 -05:00", "01:30 -05:00"],
  },
  {
    zone: "Europe/Berlin",
    before: "2026-10-24T23:31:00Z",
    named: ["30 2,14 * * *", "25/10 02:30 +02:00", "25/10 14:30 +01:00"],
    hourly: ["25/10 02:30 +02:00", "25/10 02:30 +01:00", "25/10 03:30 +01:00"],
    quarterly: ["02:30 +02:00", "02:45 +02:00", "02:00 +01:00", "02:15 +01:00", "02:30 +01:00"],
  },
  {
    // From 02:00 back to 01:30.
    zone: "Australia/Lord_Howe",
    before: "2026-04-04T13:31:00Z",
    named: ["45 1 * * *", "05/04 01:45 +11:00", "06/04 01:45 +10:30"],
    hourly: ["05/04 01:30 +11:00", "05/04 01:30 +10:30", "05/04 02:30 +10:30"],
    quarterly: ["01:30 +11:00", "01:45 +11:00", "01:30 +10:30", "01:45 +10:30", "02:00 +10:30"],
  },
  {
    // At midnight: the day before has its last hour twice.
    zone: "America/Santiago",
    before: "2026-04-05T01:31:00Z",
    named: ["30 23 * * *", "04/04 23:30 -03:00", "05/04 23:30 -04:00"],
    hourly: ["04/04 23:30 -03:00", "04/04 23:30 -04:00", "05/04 00:30 -04:00"],
    quarterly: ["23:30 -03:00", "23:45 -03:00", "23:00 -04:00", "23:15 -04:00", "23:30 -04:00"],
  },
  {
    zone: "Asia/Kolkata",
    before: "2026-10-31T19:01:00Z",
    named: ["30 1 * * *", "01/11 01:30 +05:30", "02/11 01:30 +05:30"],
    hourly: ["01/11 01:30 +05:30", "01/11 02:30 +05:30", "01/11 03:30 +05:30"],
    quarterly: ["01:30 +05:30", "01:45 +05:30", "02:00 +05:30", "02:15 +05:30", "02:30 +05:30"],
  },
];

describe.each([
  ["forward", springs],
  ["back", autumns],
] as const)("when the clocks are set %s", (_direction, changes) => {
  describe.each(changes)("in $zone", ({ zone, before, named, hourly, quarterly }) => {
    test("a named time comes once that day", () => {
      const [pattern, first, second] = named;
      expect(ticks(pattern, zone, before, 2)).toEqual([first, second]);
    });

    test("an hourly pattern follows the clock", () => {
      expect(ticks("30 * * * *", zone, before, 3)).toEqual(hourly);
    });

    test("a pattern of quarters of an hour stays a quarter of an hour apart", () => {
      // From the half hour that `hourly` begins with.
      const from = new Cron("30 * * * *", zone).next(new Date(before));
      const start = new Date(from.getTime() - 1_000).toISOString();
      const found = ticks("*/15 * * * *", zone, start, quarterly.length);
      expect(found.map((tick) => tick.slice(6))).toEqual(quarterly);
      const instants = new Cron("*/15 * * * *", zone).nextFew(new Date(start), 12);
      const gaps = instants.slice(1).map((tick, index) => tick.getTime() - (instants[index]?.getTime() ?? 0));
      expect(new Set(gaps)).toEqual(new Set([900_000]));
    });
  });
});

describe("a time that is shown twice", () => {
  test("is not served the second time by one who looks between the two", () => {
    // 01:45 summer time; 01:30 comes again in 45 minutes.
    const tick = new Cron("30 1 * * *", "America/New_York").next(new Date("2026-11-01T05:45:00Z"));
    expect(tick.toISOString()).toBe("2026-11-02T06:30:00.000Z");
  });

  test("does not disturb the times after it", () => {
    const tick = new Cron("0 2 * * *", "America/New_York").next(new Date("2026-11-01T06:30:00Z"));
    expect(tick.toISOString()).toBe("2026-11-01T07:00:00.000Z");
  });
});

describe("a list of times", () => {
  test("loses none that is leapt over, and doubles none that is shown twice", () => {
    const runs = (after: string) => ticks("30 1,2,14 * * *", "America/New_York", after, 3);
    expect(runs("2026-03-08T05:00:00Z")).toEqual([
      "08/03 01:30 -05:00",
      "08/03 03:00 -04:00",
      "08/03 14:30 -04:00",
    ]);
    expect(runs("2026-11-01T04:00:00Z")).toEqual([
      "01/11 01:30 -04:00",
      "01/11 02:30 -05:00",
      "01/11 14:30 -05:00",
    ]);
  });
});

describe("a pattern", () => {
  const after = "2026-03-02T12:00:00.500Z";

  test.each([
    ["0 3 * * *", "2026-03-03T03:00:00.000Z"],
    ["*/10 * * * * *", "2026-03-02T12:00:10.000Z"],
    ["0 9 * * MON-FRI", "2026-03-03T09:00:00.000Z"],
    ["0 9 * * 7", "2026-03-08T09:00:00.000Z"],
    ["0 0 L * *", "2026-03-31T00:00:00.000Z"],
    ["0 0 * * FRI#2", "2026-03-13T00:00:00.000Z"],
    ["0 0 29 2 *", "2028-02-29T00:00:00.000Z"],
    ["@daily", "2026-03-03T00:00:00.000Z"],
    ["@hourly", "2026-03-02T13:00:00.000Z"],
  ])("%s after noon comes next at %s", (pattern, next) => {
    expect(new Cron(pattern, "UTC").next(new Date(after)).toISOString()).toBe(next);
  });

  test("comes strictly after the moment it is asked for", () => {
    const noon = new Date("2026-03-02T12:00:00Z");
    expect(new Cron("0 * * * *", "UTC").next(noon).toISOString()).toBe("2026-03-02T13:00:00.000Z");
    const justBefore = new Date(noon.getTime() - 1);
    expect(new Cron("0 * * * *", "UTC").next(justBefore)).toEqual(noon);
  });

  test.each([
    ["0 0 31 2 *", /never comes/],
    ["61 * * * *", /cannot be used \(Invalid value for minute: 61\)\. It has five fields/],
    ["* * * *", /"\* \* \* \*" cannot be used\. It has five fields/],
    ["* * * * * * *", /cannot be used\. It has five fields/],
    ["", /cannot be used/],
    ["? * * * *", /cannot be used/],
    ["2026-12-01T00:00:00", /cannot be used/],
    ["@reboot", /cannot be used/],
    ["every day", /cannot be used/],
    ["1 ".repeat(200), /at most 255/],
  ])("%j is refused with a sentence", (pattern, sentence) => {
    const reading = () => new Cron(pattern, "UTC");
    expect(reading).toThrow(ScheduleError);
    expect(reading).toThrow(sentence);
  });

  test("in a zone that does not exist is refused with the nearest name", () => {
    expect(() => new Cron("0 3 * * *", "Europe/Berln")).toThrow(/Did you mean "Europe\/Berlin"\?$/);
  });
});

describe("the last tick up to a moment", () => {
  test.each([
    ["* * * * * *", "2026-03-02T12:00:00.000Z"],
    ["3-59/7 * * * *", "2026-03-02T11:59:00.000Z"],
    ["0 3 * * *", "2026-03-02T03:00:00.000Z"],
    ["0 0 29 2 *", "2024-02-29T00:00:00.000Z"],
  ])("of %s is found over years", (pattern, last) => {
    const cron = new Cron(pattern, "UTC");
    const earlier = cron.next(new Date("2022-01-01T00:00:00Z"));
    expect(cron.last(new Date("2026-03-02T12:00:00.900Z"), earlier).toISOString()).toBe(last);
  });

  test("is the earlier one itself when there is no other", () => {
    const tick = new Date("2026-03-02T03:00:00Z");
    expect(new Cron("0 3 * * *", "UTC").last(new Date("2026-03-02T12:00:00Z"), tick)).toEqual(tick);
  });
});
