// What is being retried and what failed, as the page gets it.
import { testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JobTrouble } from "./services/job-troubles.ts";
import { type BriefSite, startBriefSite } from "./test-support/brief-site.ts";
import { ada, grace, kateryna } from "./test-support/example-people.ts";

const db = testDatabase();
const patient = { timeout: 25_000 };
let site: BriefSite;

beforeAll(async () => {
  site = await startBriefSite(db.url);
});
afterAll(() => site.stop());

async function troublesOf(person: string): Promise<JobTrouble[]> {
  const answer = await fetch(`${site.listening.url}/app/person?person=${person}`);
  return ((await answer.json()) as { troubles: JobTrouble[] }).troubles;
}

const retry = (person: string, jobId: string) =>
  fetch(`${site.listening.url}/app/jobs/${jobId}/retry?person=${person}`, { method: "POST" });

test("a person sees what is being retried and what failed, why and when, and has only their own tried again", async () => {
  const { app, engine, mail } = site;
  const date = { briefDate: "2026-03-02", timezone: "UTC" };
  // For now, and for good.
  mail.refuse = (address) => (address.startsWith("ada") ? 421 : 550);
  for (const personId of [ada, kateryna])
    await engine.add(app.pipelines.generateDailyBrief, { personId, ...date }, { owner: personId });
  await expect.poll(async () => (await troublesOf(ada)).length, patient).toBe(1);
  await expect.poll(async () => (await troublesOf(kateryna)).length, patient).toBe(1);
  const [retrying] = await troublesOf(ada);
  expect(retrying).toMatchObject({
    ...{ type: "generate_brief_email", status: "retrying", attempt: 1 },
    error: expect.stringContaining("The mail was not sent: "),
  });
  expect(new Date(retrying?.at ?? 0).getTime()).toBeGreaterThan(Date.now());
  const [failed] = await troublesOf(kateryna);
  expect(failed).toMatchObject({
    ...{ type: "generate_brief_email", status: "failed", attempt: 1 },
    error: expect.stringContaining("The mail server refused the mail: "),
  });
  expect(await troublesOf(grace)).toEqual([]);

  mail.refuse = () => null;
  expect((await retry(ada, retrying?.id ?? "")).status).toBe(409);
  expect((await retry(ada, failed?.id ?? "")).status).toBe(404);
  expect((await retry(ada, "no id")).status).toBe(404);
  expect(mail.mails).toEqual([]);
  expect((await retry(kateryna, failed?.id ?? "")).status).toBe(204);
  await mail.received(1);
  expect(mail.mails).toMatchObject([{ to: "kateryna@example.com" }]);
  await expect.poll(() => troublesOf(kateryna), patient).toEqual([]);
});
