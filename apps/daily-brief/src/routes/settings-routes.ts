import { Hono } from "hono";
import type { Engine } from "lockstep";
import { z } from "zod";
import type { DailyBriefApp } from "../daily-brief-app.ts";
import { personName, timeOfDay } from "../services/asked-values.ts";
import { deleteAccount } from "../services/delete-account.ts";
import { keepScheduleOf } from "../services/keep-schedules.ts";
import { bodyOf } from "./body-of.ts";
import type { PersonEnv } from "./person-env.ts";
import { forgetSession } from "./session-cookie.ts";

const settings = z.strictObject({
  name: personName,
  timeZone: z.string().max(64),
  briefAt: timeOfDay,
  wantsPage: z.boolean(),
  wantsEmail: z.boolean(),
  wantsSms: z.boolean(),
});

export interface SettingsParts {
  readonly engine: Engine;
  readonly app: Pick<DailyBriefApp, "people" | "timeZones" | "pipelines">;
  /** Their streams are to look whether they are still open. */
  readonly onLeft: (personId: string) => void;
}

/** What a person has set, and their leaving. */
export function settingsRoutes({ engine, app, onLeft }: SettingsParts): Hono<PersonEnv> {
  const routes = new Hono<PersonEnv>();
  routes.put("/settings", async (context) => {
    const { person } = context.var;
    const body = await bodyOf(context, settings);
    if (body instanceof Response) return body;
    const isZone = body.timeZone === person.timeZone || (await app.timeZones.has(body.timeZone));
    if (!isZone) return context.json({ error: "Choose a time zone from the list.", where: "timeZone" }, 422);
    const changed = await app.people.saveSettings(person.id, body);
    if (changed === null)
      return context.json({ error: "Confirm a number first, to get SMS.", where: "wantsSms" }, 422);
    await keepScheduleOf(engine, app.pipelines.dailyBriefDue, changed);
    return context.body(null, 204);
  });
  routes.delete("/person", async (context) => {
    const { id } = context.var.person;
    await deleteAccount(engine, app.people, id);
    onLeft(id);
    forgetSession(context);
    return context.body(null, 204);
  });
  return routes;
}
