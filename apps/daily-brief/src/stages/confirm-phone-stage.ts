import { PermanentError, type StageContext } from "lockstep";
import { z } from "zod";
import type { BriefParts } from "../brief-parts.ts";
import { sendWithinTheDay } from "../services/send-within-the-day.ts";
import type { Message } from "../store/outbox-store.ts";

/** What the wait for the code is told. */
export const confirmedPhone = z.strictObject({ isConfirmed: z.literal(true) });
type ConfirmedPhone = z.infer<typeof confirmedPhone>;

type Parts = Pick<BriefParts, "phones" | "outbox" | "sms" | "smsPerDay">;

/** Sends the code that confirms a number. It is made here, so that no job, result or log has it. */
export function confirmPhoneStage({ phones, outbox, sms, smsPerDay }: Parts) {
  return async ({ jobId, payload, once }: StageContext<{ personId: string; confirmationId: string }>) => {
    const { personId, confirmationId } = payload;
    const { smsId } = await once("sms", async ({ idempotencyKey: trackingId, signal }) => {
      const waiting = await phones.code(personId, confirmationId);
      if (waiting === null) throw new PermanentError("Nobody waits for this code any more.");
      const { phone: to, code } = waiting;
      const text = codeText(code);
      // What was sent is not kept; what nobody sends can be read nowhere but in the outbox.
      const body = sms.hasProvider ? codeText("••••••") : text;
      const about = { jobId, personId, recipient: to, trackingId };
      const message: Message = { ...about, kind: "sms", subject: null, body };
      // After a doubt a new code is sent, and the one before no longer counts: nothing needs to be looked up.
      const smsId = await sendWithinTheDay({ outbox, message, perDay: smsPerDay, signal }, () =>
        sms.send({ to, text, trackingId, signal, mayBeSentSince: null }),
      );
      return { smsId };
    });
    await outbox.markDone(jobId, smsId);
    return { smsId };
  };
}

/** When the code has come back the number is the person's already; if it has not come in time, the number waits no longer. */
export function endPhoneStage({ phones }: Pick<BriefParts, "phones">) {
  return async ({ payload, output }: StageContext<{ confirmationId: string }, ConfirmedPhone | null>) => {
    if (output === null) await phones.end(payload.confirmationId);
    return { isConfirmed: output !== null };
  };
}

function codeText(code: string): string {
  return `${code} is the code that confirms your number for the daily brief. It works for 10 minutes.`;
}
