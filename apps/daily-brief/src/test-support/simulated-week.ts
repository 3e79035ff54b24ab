import { createTestEngine } from "@lockstep/testing";
import pg from "pg";
import { DailyBriefApp } from "../daily-brief-app.ts";
import { readDailyBriefConfig } from "../daily-brief-config.ts";
import { keepSchedules } from "../services/keep-schedules.ts";
import { givenPeople } from "./brief-people.ts";
import { startMailServer } from "./mail-server.ts";
import { startProviderServer } from "./provider-server.ts";

const stepMs = 30 * 60_000;
/** In the week from here Europe's clocks go forward (29 March), and those of Sydney and Auckland back (5 April). */
export const weekStart = new Date("2026-03-28T12:00:00Z");

const timeZones = [
  ...["Europe/Berlin", "Australia/Sydney", "Pacific/Auckland", "Europe/London", "America/New_York"],
  ...[
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "America/Sao_Paulo",
    "Africa/Nairobi",
    "Asia/Dubai",
    "UTC",
  ],
];
// Among them the half hours that are left out in Berlin and London, and shown twice in Sydney and Auckland.
const times = ["02:30", "01:30", "07:00", "06:30", "02:00", "23:30", "00:00"];

export interface WeekReport {
  readonly people: number;
  readonly days: number;
  readonly tries: number;
  readonly briefs: number;
  readonly mails: number;
  readonly sms: number;
  readonly tookMs: number;
  /** A line for every brief, mail or SMS that is missing or too many. */
  readonly problems: readonly string[];
}

/** Lives through a week with so many people: every provider is there, in its own shape, and time is the test's. */
export async function simulateWeek(options: {
  readonly people: number;
  readonly days: number;
  readonly startAt?: Date;
  readonly serverUrl?: string;
}): Promise<WeekReport> {
  const { startAt = weekStart } = options;
  const startedMs = Date.now();
  const [mail, provider] = await Promise.all([startMailServer(), startProviderServer()]);
  const config = readDailyBriefConfig({
    ...{ SMTP_URL: mail.url, MAIL_FROM: "brief@example.com" },
    ...{ TWILIO_ACCOUNT_SID: "AC1", TWILIO_AUTH_TOKEN: "secret", TWILIO_FROM: "+15550100" },
    ...{ TWILIO_BASE_URL: provider.url, MODEL_BASE_URL: `${provider.url}/v1` },
  });
  const app = new DailyBriefApp(config, async () => tested.databaseUrl);
  const tested = await createTestEngine({
    pipelines: Object.values(app.pipelines),
    startAt,
    handlerLimitMs: 60_000,
    maxTries: 1_000_000,
    ...(options.serverUrl === undefined ? {} : { databaseUrl: options.serverUrl }),
  });
  try {
    app.addWith(tested.engine);
    await app.database.prepare();
    const people = Array.from({ length: options.people }, (_, index) => ({
      id: `p${index}`,
      timeZone: timeZones[index % timeZones.length] ?? "UTC",
      briefAt: times[Math.floor(index / timeZones.length) % times.length] ?? "07:00",
      wantsSms: index % 3 === 0,
      phone: `+1555${String(index).padStart(7, "0")}`,
    }));
    await givenPeople(tested.databaseUrl, people);
    await keepSchedules(tested.engine, app.pipelines.dailyBriefDue, await app.people.people());
    let tries = await tested.runDue();
    const endMs = startAt.getTime() + options.days * 86_400_000;
    while (tested.clock.now().getTime() < endMs) {
      await tested.clock.advance(stepMs);
      tries += await tested.runDue();
    }
    const briefs = await briefsIn(tested.databaseUrl);
    const expected = people.map((person) => ({
      ...person,
      dates: expectedDates(person, startAt.getTime(), endMs),
    }));
    const problems = expected.flatMap(({ id, dates, wantsSms, phone }) => {
      const found = briefs.get(id) ?? [];
      const mails = mail.mails.filter(({ to }) => to === `${id}@example.com`).length;
      const sms = provider.sms.filter(({ to }) => to === phone).length;
      return [
        ...(found.join() === dates.join() ? [] : [`${id} has briefs of ${found}, not of ${dates}`]),
        ...(mails === dates.length ? [] : [`${id} had ${mails} mails, not ${dates.length}`]),
        ...(sms === (wantsSms ? dates.length : 0) ? [] : [`${id} had ${sms} SMS`]),
      ];
    });
    return {
      ...{ people: people.length, days: options.days, tries, problems },
      briefs: [...briefs.values()].flat().length,
      ...{ mails: mail.mails.length, sms: provider.sms.length, tookMs: Date.now() - startedMs },
    };
  } finally {
    await app.close();
    await tested.stop();
    await Promise.all([mail.stop(), provider.stop()]);
  }
}

async function briefsIn(databaseUrl: string): Promise<Map<string, string[]>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ person_id: string; dates: string[] }>(
    "select person_id, array_agg(brief_date::text order by brief_date) as dates from daily_brief.briefs group by 1",
  );
  await client.end();
  return new Map(rows.map(({ person_id, dates }) => [person_id, dates]));
}

/** By looking at the person's clock every half hour: the days on which it came to the time of the brief. */
function expectedDates(
  { timeZone, briefAt }: { timeZone: string; briefAt: string },
  startMs: number,
  endMs: number,
): string[] {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const shown = (ms: number) => format.format(new Date(ms)).split(" ") as [string, string];
  const seen = new Set<string>();
  const dates: string[] = [];
  // From a day before, so that what had come before the week is known.
  for (let ms = startMs - 86_400_000; ms <= endMs; ms += stepMs) {
    const [date, time] = shown(ms);
    if (time < briefAt || seen.has(date)) continue;
    seen.add(date);
    if (ms > startMs) dates.push(date);
  }
  return dates;
}
