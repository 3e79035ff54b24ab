import { PermanentError, type StageContext } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";
import { briefMail } from "../services/brief-mail.ts";
import { sendWithinTheDay } from "../services/send-within-the-day.ts";
import type { Message } from "../store/outbox-store.ts";

type Parts = Pick<BriefParts, "people" | "briefs" | "outbox" | "email" | "emailsPerDay">;

/** Mails a brief, once: a mail that may have gone out is not sent a second time. */
export function emailStage({ people, briefs, outbox, email, emailsPerDay }: Parts) {
  return async ({ jobId, payload, once }: StageContext<{ personId: string; briefId: string }>) => {
    const [person, brief] = await Promise.all([
      people.person(payload.personId),
      briefs.brief(payload.briefId),
    ]);
    // The brief must belong to this person: a job with somebody else's brief is wrong, no matter who added it.
    if (person === null || brief === null || brief.personId !== person.id) {
      throw new PermanentError(`${payload.personId} has no brief ${payload.briefId}.`);
    }
    const to = person.email;
    if (to === null) throw new PermanentError(`${person.id} has no mail address.`);
    const mail = briefMail({ ...brief, name: person.name });
    // SMTP knows no keys, and nobody can be asked: the brief is on the page, so in doubt it is not mailed again.
    const sent = await once(
      "email",
      async ({ idempotencyKey: trackingId, signal }) => {
        const about = { jobId, personId: person.id, recipient: to, trackingId };
        const message: Message = { ...about, kind: "email", subject: mail.subject, body: mail.text };
        const emailId = await sendWithinTheDay({ outbox, message, perDay: emailsPerDay, signal }, () =>
          email.send({ to, ...mail, trackingId }),
        );
        return { emailId, trackingId };
      },
      { unknown: "skip" },
    );
    if (sent === null) {
      await outbox.markInDoubt(jobId);
      return { emailId: null, briefId: brief.id, trackingId: null, isInDoubt: true };
    }
    const { emailId, trackingId } = sent;
    await outbox.markDone(jobId, emailId);
    return { emailId, briefId: brief.id, trackingId };
  };
}
