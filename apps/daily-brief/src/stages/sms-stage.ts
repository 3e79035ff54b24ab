import { PermanentError, type StageContext } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";

type Parts = Pick<BriefParts, "store" | "sms" | "smsPerDay">;

/** Sends an SMS, once: after a doubt the provider is asked what it has sent. */
export function smsStage({ store, sms, smsPerDay }: Parts) {
  return async ({ jobId, payload, once }: StageContext<{ personId: string; message: string }>) => {
    const person = await store.person(payload.personId);
    if (person?.phone == null) throw new PermanentError(`${payload.personId} has no number for SMS.`);
    const to = person.phone;
    const { smsId, trackingId } = await once("sms", async ({ idempotencyKey, mayHaveHappened, signal }) => {
      if ((await store.sentToday(person.id, "sms", jobId)) >= smsPerDay) {
        throw new PermanentError(
          `${person.id} has had ${smsPerDay} SMS today, which is all a day may bring.`,
        );
      }
      const message = { to, text: payload.message, trackingId: idempotencyKey, mayHaveHappened, signal };
      return { smsId: await sms.send(message), trackingId: idempotencyKey };
    });
    await store.saveMessage({
      ...{ jobId, kind: "sms", personId: person.id, recipient: to },
      ...{ subject: null, body: payload.message, trackingId, providerId: smsId },
    });
    return { smsId };
  };
}
