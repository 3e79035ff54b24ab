import { PermanentError, type StageContext } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";
import { briefMail } from "../services/brief-mail.ts";

type Parts = Pick<BriefParts, "store" | "email" | "emailsPerDay">;

/** Mails a brief, once: a mail that may have gone out is not sent a second time. */
export function emailStage({ store, email, emailsPerDay }: Parts) {
  return async ({ jobId, payload, once }: StageContext<{ personId: string; briefId: string }>) => {
    const [person, brief] = await Promise.all([store.person(payload.personId), store.brief(payload.briefId)]);
    // Of this person: a job that names another's brief is wrong, whoever has added it.
    if (person === null || brief === null || brief.personId !== person.id) {
      throw new PermanentError(`${payload.personId} has no brief ${payload.briefId}.`);
    }
    const to = person.email;
    if (to === null) throw new PermanentError(`${person.id} has no mail address.`);
    const mail = briefMail({ ...brief, name: person.name });
    // SMTP knows no keys, and nobody can be asked: the brief is on the page, so in doubt it is not mailed again.
    const sent = await once(
      "email",
      async ({ idempotencyKey: trackingId }) => {
        if ((await store.sentToday(person.id, "email", jobId)) >= emailsPerDay) {
          throw new PermanentError(
            `${person.id} has had ${emailsPerDay} mails today, which is all a day may bring.`,
          );
        }
        return { emailId: await email.send({ to, ...mail, trackingId }), trackingId };
      },
      { unknown: "skip" },
    );
    if (sent === null) return { emailId: null, briefId: brief.id, trackingId: null, isInDoubt: true };
    const { emailId, trackingId } = sent;
    await store.saveMessage({
      ...{ jobId, kind: "email", personId: person.id, recipient: to },
      ...{ subject: mail.subject, body: mail.text, trackingId, providerId: emailId },
    });
    return { emailId, briefId: brief.id, trackingId };
  };
}
