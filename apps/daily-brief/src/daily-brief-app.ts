import { createEngine, type Engine } from "lockstep";
import type { AddJob } from "./brief-parts.ts";
import type { DailyBriefConfig } from "./daily-brief-config.ts";
import { dailyBriefPipelines } from "./daily-brief-pipelines.ts";
import { chooseWriter } from "./services/choose-writer.ts";
import { type EmailSender, outboxSender } from "./services/message-senders.ts";
import { SmtpSender } from "./services/smtp-sender.ts";
import { TwilioSender } from "./services/twilio-sender.ts";
import { BriefDatabase } from "./store/brief-database.ts";
import { BriefStore } from "./store/brief-store.ts";
import { NotificationStore } from "./store/notification-store.ts";
import { OutboxStore } from "./store/outbox-store.ts";
import { PeopleStore } from "./store/people-store.ts";
import { PhoneConfirmationStore } from "./store/phone-confirmation-store.ts";
import { ProjectStore } from "./store/project-store.ts";
import { RegistrationStore } from "./store/registration-store.ts";
import { SignInStore } from "./store/sign-in-store.ts";
import { TaskStore } from "./store/task-store.ts";
import { TimeZoneStore } from "./store/time-zone-store.ts";

/** The pipelines and what they work with. */
export class DailyBriefApp {
  readonly database: BriefDatabase;
  readonly people: PeopleStore;
  readonly projects: ProjectStore;
  readonly briefs: BriefStore;
  readonly outbox: OutboxStore;
  readonly notifications: NotificationStore;
  readonly signIns: SignInStore;
  readonly registrations: RegistrationStore;
  readonly phones: PhoneConfirmationStore;
  readonly tasks: TaskStore;
  readonly timeZones: TimeZoneStore;
  readonly email: EmailSender;
  readonly signsIn: boolean;
  readonly registers: boolean;
  readonly sendsMail: boolean;
  readonly sendsSms: boolean;
  readonly pipelines: ReturnType<typeof dailyBriefPipelines>;
  readonly #databaseUrl: () => Promise<string>;
  #adder: Promise<Pick<Engine, "add" | "stop">> | null = null;

  /** `withExamples`: a few people to look at, where there is nobody yet. */
  constructor(
    config: DailyBriefConfig,
    databaseUrl: () => Promise<string>,
    options: { readonly withExamples?: boolean } = {},
  ) {
    this.#databaseUrl = databaseUrl;
    const database = new BriefDatabase(databaseUrl, options);
    this.database = database;
    this.people = new PeopleStore(database);
    this.projects = new ProjectStore(database);
    this.briefs = new BriefStore(database);
    this.outbox = new OutboxStore(database);
    this.notifications = new NotificationStore(database);
    this.signIns = new SignInStore(database);
    this.registrations = new RegistrationStore(database);
    this.phones = new PhoneConfirmationStore(database);
    this.tasks = new TaskStore(database);
    this.timeZones = new TimeZoneStore(database);
    this.email = config.mail === null ? outboxSender : new SmtpSender(config.mail);
    this.sendsMail = config.mail !== null;
    this.sendsSms = config.sms !== null;
    this.signsIn = config.signsIn;
    this.registers = config.registers;
    this.pipelines = dailyBriefPipelines({
      ...{ database, people: this.people, projects: this.projects, briefs: this.briefs, outbox: this.outbox },
      ...{ phones: this.phones, add: this.#add },
      writer: chooseWriter(config.model),
      email: this.email,
      sms: config.sms === null ? outboxSender : new TwilioSender(config.sms),
      emailsPerDay: config.emailsPerDay,
      smsPerDay: config.smsPerDay,
    });
  }

  /** The engine that runs the worker is the best one to add with; without it, the stages create one that only adds. */
  addWith(engine: Pick<Engine, "add">): void {
    this.#adder = Promise.resolve({ add: engine.add.bind(engine), stop: async () => {} });
  }

  async close(): Promise<void> {
    await (await this.#adder)?.stop();
    await this.database.close();
  }

  readonly #add: AddJob = async (type, payload, options) => {
    this.#adder ??= this.#ownAdder();
    return (await this.#adder).add(type, payload, options);
  };

  async #ownAdder(): Promise<Engine> {
    const pipelines = Object.values(this.pipelines);
    return createEngine({ databaseUrl: await this.#databaseUrl(), pipelines, logger: null, connections: 2 });
  }
}
