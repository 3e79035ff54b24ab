import type { Added, AddOptions, TransactionOption } from "lockstep";
import type { BriefWriter } from "./services/brief-writer.ts";
import type { EmailSender, SmsSender } from "./services/message-senders.ts";
import type { BriefDatabase } from "./store/brief-database.ts";
import type { BriefStore } from "./store/brief-store.ts";
import type { OutboxStore } from "./store/outbox-store.ts";
import type { PeopleStore } from "./store/people-store.ts";
import type { PhoneConfirmationStore } from "./store/phone-confirmation-store.ts";
import type { ProjectStore } from "./store/project-store.ts";

/** Adds a job of the app by the name of its type. */
export type AddJob = (
  type: string,
  payload: unknown,
  options?: AddOptions & TransactionOption,
) => Promise<Added>;

/** What the stages work with. */
export interface BriefParts {
  readonly database: BriefDatabase;
  readonly people: PeopleStore;
  readonly projects: ProjectStore;
  readonly briefs: BriefStore;
  readonly outbox: OutboxStore;
  readonly phones: PhoneConfirmationStore;
  readonly add: AddJob;
  readonly writer: BriefWriter;
  readonly email: EmailSender;
  readonly sms: SmsSender;
  readonly emailsPerDay: number;
  readonly smsPerDay: number;
}
