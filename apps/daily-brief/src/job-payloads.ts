import { z } from "zod";

const personId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,79}$/)
  .meta({ title: "Person", description: "The id of a person, such as ada." });
const timezone = z.string().min(1).max(64).meta({ title: "Time zone", description: "An IANA name." });

/** What each type of job is told. Checked when it is added, and again before it runs: what is wrong fails at once. */
export const jobPayloads = {
  daily_brief_due: z.strictObject({ personId }),
  generate_daily_brief: z.strictObject({
    personId,
    briefDate: z.iso.date().meta({ title: "Day", description: "The day by the person's own clock." }),
    timezone,
  }),
  generate_brief_email: z.strictObject({ personId, briefId: z.uuid() }),
  send_sms: z.strictObject({
    personId,
    message: z.string().min(1).max(480).meta({ title: "Message", description: "At most three SMS long." }),
  }),
  confirm_phone: z.strictObject({ personId, confirmationId: z.uuid() }),
  generate_phases: z.strictObject({
    projectId: z.string().min(1).max(80).meta({ title: "Project", description: "The id of a project." }),
    phaseCount: z.int().min(1).max(10).default(3).meta({ title: "Phases", description: "How many at most." }),
  }),
  onboarding_analysis: z.strictObject({
    personId,
    text: z.string().min(1).max(20_000).meta({ title: "Text", description: "What the person wrote." }),
  }),
};
