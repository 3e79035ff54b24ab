import { createTestEngine } from "@lockstep/testing";
import type { StepWorker } from "lockstep";
import { DailyBriefApp } from "../daily-brief-app.ts";
import { readDailyBriefConfig } from "../daily-brief-config.ts";
import { keepSchedules } from "../services/keep-schedules.ts";
import { givenPeople } from "./brief-people.ts";
import { expectedDates } from "./expected-dates.ts";
import { startMailServer } from "./mail-server.ts";
import { startProviderServer } from "./provider-server.ts";
import { runDue } from "./run-due.ts";
import { weekPeople } from "./week-people.ts";

const stepMs = 30 * 60_000;

export interface WeekOptions {
  readonly people: number;
  /** The times that are lived through, in their order; between them nobody has a schedule. */
  readonly spans: readonly { readonly startAt: Date; readonly endAt: Date }[];
  readonly workers: number;
  readonly serverUrl?: string;
}

export interface WeekReport {
  readonly people: number;
  readonly workers: number;
  readonly tries: number;
  readonly briefs: number;
  readonly mails: number;
  readonly sms: number;
  readonly tookMs: number;
  /** A line for every brief, mail or SMS that is missing or too many, and all that `verify` finds. */
  readonly problems: readonly string[];
}

/** Lives through some days with so many people: every provider is there, in its own shape, and time is the test's. */
export async function simulateWeek({ spans, serverUrl, ...options }: WeekOptions): Promise<WeekReport> {
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
    ...(spans[0] === undefined ? {} : { startAt: spans[0].startAt }),
    ...(serverUrl === undefined ? {} : { databaseUrl: serverUrl }),
  });
  const { engine, clock } = tested;
  const workers: StepWorker[] = [];
  try {
    app.addWith(engine);
    await app.database.prepare();
    const people = weekPeople(options.people);
    await givenPeople(tested.databaseUrl, people);
    // The clients of the model and of Twilio are loaded in the first tries.
    while (workers.length < options.workers)
      workers.push(await engine.stepWorker({ handlerLimitMs: 120_000 }));
    let tries = 0;
    for (const { startAt, endAt } of spans) {
      await clock.advanceTo(startAt);
      await keepSchedules(engine, app.pipelines.dailyBriefDue, await app.people.people());
      tries += await runDue(workers);
      while (clock.now() < endAt) {
        await clock.advance(stepMs);
        tries += await runDue(workers);
      }
      await keepSchedules(engine, app.pipelines.dailyBriefDue, []);
    }
    const briefs = await briefDates(app);
    const problems = people.flatMap((person) => {
      const dates = spans.flatMap((span) => expectedDates(person, span));
      const found = briefs.get(person.id) ?? [];
      const mails = mail.mails.filter(({ to }) => to === `${person.id}@example.com`).length;
      const sms = provider.sms.filter(({ to }) => to === person.phone).length;
      return [
        ...(found.join() === dates.join() ? [] : [`${person.id} has briefs of ${found}, not of ${dates}`]),
        ...(mails === dates.length ? [] : [`${person.id} had ${mails} mails, not ${dates.length}`]),
        ...(sms === (person.wantsSms ? dates.length : 0) ? [] : [`${person.id} had ${sms} SMS`]),
      ];
    });
    problems.push(...(await engine.verify()).map((finding) => JSON.stringify(finding)));
    return {
      ...{ people: people.length, workers: workers.length, tries, problems },
      briefs: [...briefs.values()].flat().length,
      ...{ mails: mail.mails.length, sms: provider.sms.length, tookMs: Date.now() - startedMs },
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await app.close();
    await tested.stop();
    await Promise.all([mail.stop(), provider.stop()]);
  }
}

async function briefDates(app: DailyBriefApp): Promise<Map<string, string[]>> {
  const rows = await app.database.rows<{ person_id: string; dates: string[] }>(
    "select person_id, array_agg(brief_date::text order by brief_date) as dates from daily_brief.briefs group by 1",
  );
  return new Map(rows.map(({ person_id, dates }) => [person_id, dates]));
}
