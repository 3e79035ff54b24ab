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

/** Sends a mail; resolves to the id under which the provider knows it, or to null if there is no provider. */
export interface EmailSender {
  send(email: Email): Promise<string | null>;
}

export interface SmsSender {
  /** False: what it is given is kept in the outbox, and can be read only there. */
  readonly hasProvider: boolean;
  send(sms: Sms): Promise<string | null>;
}

/** No provider: nothing is sent, and the message is kept in the outbox. */
export const outboxSender: EmailSender & SmsSender = {
  hasProvider: false,
  send: async () => null,
};
