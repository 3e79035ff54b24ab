import { Hono } from "hono";
import type { Engine } from "lockstep";
import { z } from "zod";
import type { DailyBriefApp } from "../daily-brief-app.ts";
import { phoneNumber } from "../services/asked-values.ts";
import { codePattern } from "../services/confirmation-code.ts";
import { keepScheduleOf } from "../services/keep-schedules.ts";
import { bodyOf } from "./body-of.ts";
import type { PersonEnv } from "./person-env.ts";

const asked = z.strictObject({ phone: phoneNumber });
const answered = z.strictObject({ code: z.string().trim().regex(codePattern, "A code has six digits.") });

export interface PhoneParts {
  readonly engine: Engine;
  readonly app: Pick<DailyBriefApp, "people" | "phones" | "pipelines">;
}

/** A person's number: given, confirmed by the code in an SMS, and taken away. */
export function phoneRoutes({ engine, app }: PhoneParts): Hono<PersonEnv> {
  const { phones, pipelines } = app;
  // SMS may be the only channel.
  const keepSchedule = async (personId: string) => {
    const person = await app.people.person(personId);
    if (person !== null) await keepScheduleOf(engine, pipelines.dailyBriefDue, person);
  };
  const routes = new Hono<PersonEnv>();
  routes.post("/", async (context) => {
    const personId = context.var.person.id;
    const body = await bodyOf(context, asked);
    if (body instanceof Response) return body;
    const isBegun = await phones.begin(personId, body.phone, async (tx, confirmationId) => {
      const payload = { personId, confirmationId };
      const signalKey = confirmationId;
      await engine.add(pipelines.confirmPhone, payload, { owner: personId, priority: 1, signalKey, tx });
    });
    if (isBegun) return context.json({ phone: body.phone }, 202);
    return context.json({ error: "No more than three codes are sent in an hour. Try again later." }, 429);
  });
  routes.post("/confirm", async (context) => {
    const body = await bodyOf(context, answered);
    if (body instanceof Response) return body;
    const { id } = context.var.person;
    const confirmed = await phones.confirm(id, body.code, async (tx, confirmationId) => {
      const value = { isConfirmed: true } as const;
      const { answer } = await engine.signalByKey(pipelines.confirmPhone, confirmationId, "code", value, {
        by: id,
        tx,
      });
      return answer === "signalled" || answer === "kept";
    });
    if (confirmed.answer === "confirmed") {
      await keepSchedule(id);
      return context.body(null, 204);
    }
    if (confirmed.answer === "over")
      return context.json({ error: "This code is over. Ask for a new one." }, 410);
    const { triesLeft } = confirmed;
    const left = triesLeft === 0 ? "Ask for a new one." : `Tries left: ${triesLeft}.`;
    return context.json({ error: `This is not the code. ${left}` }, 422);
  });
  routes.delete("/", async (context) => {
    const { id } = context.var.person;
    await phones.remove(id);
    await keepSchedule(id);
    return context.body(null, 204);
  });
  return routes;
}
