import { PermanentError, type StageContext } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";
import { sendWithinTheDay } from "../services/send-within-the-day.ts";
import type { Message } from "../store/outbox-store.ts";

type Parts = Pick<BriefParts, "people" | "outbox" | "sms" | "smsPerDay">;

/** Sends an SMS, once: after a doubt the provider is asked what it has sent. */
export function smsStage({ people, outbox, sms, smsPerDay }: Parts) {
  return async ({ jobId, payload, once }: StageContext<{ personId: string; message: string }>) => {
    const person = await people.person(payload.personId);
    if (person?.phone == null) throw new PermanentError(`${payload.personId} has no number for SMS.`);
    const { id: personId, phone: to } = person;
    const text = payload.message;
    const { smsId } = await once("sms", async ({ idempotencyKey: trackingId, mayHaveHappened, signal }) => {
      const about = { jobId, personId, recipient: to, trackingId };
      const message: Message = { ...about, kind: "sms", subject: null, body: text };
      const smsId = await sendWithinTheDay({ outbox, message, perDay: smsPerDay, signal }, (firstTriedAt) =>
        sms.send({ to, text, trackingId, signal, mayBeSentSince: mayHaveHappened ? firstTriedAt : null }),
      );
      return { smsId };
    });
    await outbox.markDone(jobId, smsId);
    return { smsId };
  };
}
