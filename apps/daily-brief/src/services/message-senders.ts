export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for every try of a job: it becomes the Message-ID. */
  readonly trackingId: string;
}

export interface Sms {
  readonly to: string;
  readonly text: string;
  readonly trackingId: string;
  /** An earlier try may have sent it, from then on: to be looked up first. Null: none has. */
  readonly mayBeSentSince: Date | null;
  readonly signal: AbortSignal;
}

/** Sends a mail; resolves to the id under which the provider knows it. */
export interface EmailSender {
  send(email: Email): Promise<string>;
}

export interface SmsSender {
  send(sms: Sms): Promise<string>;
}

/** Sends nothing: what the job records is the outbox. */
export const outboxSender: EmailSender & SmsSender = {
  send: async ({ trackingId }) => `outbox-${trackingId}`,
};
