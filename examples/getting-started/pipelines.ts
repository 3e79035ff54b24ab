import { definePipeline } from "lockstep";
import { z } from "zod";

export const welcome = definePipeline("welcome", { payload: z.object({ email: z.email() }) }).stage(
  "send",
  async ({ payload, log }) => {
    log.info(`a mail to ${payload.email}`); // your mailer goes here
    return { sentTo: payload.email };
  },
);
