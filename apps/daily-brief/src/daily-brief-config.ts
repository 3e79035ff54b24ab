import {
  databaseUrl,
  type Environment,
  oneOf,
  orNull,
  port,
  readEnvironment,
  secret,
  text,
  timeoutMs,
  webAddress,
  wholeNumber,
  workPlace,
} from "@lockstep/app-kit/environment";

/** All settings of the app, read from the environment once. */
export interface DailyBriefConfig {
  /** Null: the database of the `lockstep dev` that runs in this folder, or one of the app's own. */
  readonly databaseUrl: string | null;
  readonly port: number;
  /** False: other processes run the jobs, and this one only serves the page. */
  readonly worksInServer: boolean;
  /** Signs the tokens of the page; all processes must share it. Null: a new one at each start. */
  readonly tokenSecret: string | null;
  readonly statsIntervalMs: number;
  /** How soon the schedules follow when a person is added, changed or removed. */
  readonly schedulesIntervalMs: number;
  /** Null: the local writer, which needs no model. */
  readonly model: ModelConfig | null;
  /** True: people sign in by a link in a mail. False: whoever sits at the machine may act as anybody. */
  readonly signsIn: boolean;
  /** True: people can register by themselves. */
  readonly registers: boolean;
  /** Null: mail lands in the outbox that the page shows. */
  readonly mail: MailConfig | null;
  /** Null: SMS land in the outbox. */
  readonly sms: SmsConfig | null;
  readonly emailsPerDay: number;
  readonly smsPerDay: number;
}

export interface ModelConfig {
  readonly name: string;
  readonly apiKey: string | null;
  /** Null: OpenAI itself. */
  readonly baseUrl: string | null;
  readonly timeoutMs: number;
  /** What each person may have it use in a day. */
  readonly tokensPerDay: number;
}

export interface MailConfig {
  readonly smtpUrl: string;
  readonly from: string;
  readonly timeoutMs: number;
}

export interface SmsConfig {
  readonly accountSid: string;
  readonly authToken: string;
  readonly from: string;
  readonly baseUrl: string;
  readonly timeoutMs: number;
}

const secretLength = 32;
const exampleAddress = "http://127.0.0.1:9000";
const intervalMs = wholeNumber({ least: 1_000, most: 86_400_000 });
const messagesPerDay = wholeNumber({ least: 0, most: 1_000_000 });

const variables = {
  DATABASE_URL: databaseUrl,
  DAILY_BRIEF_PORT: port.default(4410),
  DAILY_BRIEF_WORKER: workPlace.default("in-server"),
  DAILY_BRIEF_TOKEN_SECRET: orNull(
    secret(`must have at least ${secretLength} characters`, ({ length }) => length >= secretLength),
  ),
  DAILY_BRIEF_STATS_INTERVAL_MS: intervalMs.default(300_000),
  DAILY_BRIEF_SCHEDULES_INTERVAL_MS: intervalMs.default(60_000),
  DAILY_BRIEF_SIGN_IN: oneOf("none", "mail").default("none"),
  DAILY_BRIEF_REGISTRATION: oneOf("open", "closed").default("open"),
  DAILY_BRIEF_EMAILS_PER_DAY: messagesPerDay.default(200),
  DAILY_BRIEF_SMS_PER_DAY: messagesPerDay.default(20),
};

const modelVariables = {
  MODEL_NAME: text("must be the name of a model").default("gpt-5-mini"),
  MODEL_BASE_URL: orNull(webAddress(exampleAddress)),
  MODEL_TIMEOUT_MS: timeoutMs.default(60_000),
  DAILY_BRIEF_TOKENS_PER_DAY: wholeNumber({ least: 1, most: 1_000_000_000 }).default(100_000),
};

const mailVariables = {
  SMTP_URL: secret("must be an address such as smtp://user:password@mail.example.com:587", (value) =>
    /^smtps?:\/\//.test(value),
  ),
  // Checked here because it stands in the header of every mail.
  MAIL_FROM: text("must be the address that mails are sent from, such as brief@example.com", (value) =>
    /^[^\s@,;<>]+@[^\s@,;<>]+$/.test(value),
  ),
  SMTP_TIMEOUT_MS: timeoutMs.default(30_000),
};

const smsVariables = {
  TWILIO_ACCOUNT_SID: text("must be the SID of a Twilio account"),
  TWILIO_AUTH_TOKEN: secret("must be set together with TWILIO_ACCOUNT_SID"),
  TWILIO_FROM: text("must be the number that SMS are sent from, such as +15550100"),
  TWILIO_BASE_URL: webAddress(exampleAddress).default("https://api.twilio.com"),
  TWILIO_TIMEOUT_MS: timeoutMs.default(30_000),
};

/** A wrong value is refused with the name of its variable; an empty one counts as not set. */
export function readDailyBriefConfig(env: Environment): DailyBriefConfig {
  const read = readEnvironment(env, variables);
  const signsIn = read.DAILY_BRIEF_SIGN_IN === "mail";
  return {
    databaseUrl: read.DATABASE_URL,
    port: read.DAILY_BRIEF_PORT,
    worksInServer: read.DAILY_BRIEF_WORKER === "in-server",
    tokenSecret: read.DAILY_BRIEF_TOKEN_SECRET,
    statsIntervalMs: read.DAILY_BRIEF_STATS_INTERVAL_MS,
    schedulesIntervalMs: read.DAILY_BRIEF_SCHEDULES_INTERVAL_MS,
    model: readModel(env),
    signsIn,
    registers: read.DAILY_BRIEF_REGISTRATION === "open",
    // Who signs in by mail needs a server that sends it: asked for by name if it is not set.
    mail: env.SMTP_URL || signsIn ? readMail(env) : null,
    sms: readSms(env),
    emailsPerDay: read.DAILY_BRIEF_EMAILS_PER_DAY,
    smsPerDay: read.DAILY_BRIEF_SMS_PER_DAY,
  };
}

function readModel(env: Environment): ModelConfig | null {
  const apiKey = env.MODEL_API_KEY || env.OPENAI_API_KEY || null;
  if (apiKey === null && !env.MODEL_BASE_URL) return null;
  const read = readEnvironment(env, modelVariables);
  return {
    name: read.MODEL_NAME,
    apiKey,
    baseUrl: read.MODEL_BASE_URL,
    timeoutMs: read.MODEL_TIMEOUT_MS,
    tokensPerDay: read.DAILY_BRIEF_TOKENS_PER_DAY,
  };
}

function readMail(env: Environment): MailConfig {
  const read = readEnvironment(env, mailVariables);
  return { smtpUrl: read.SMTP_URL, from: read.MAIL_FROM, timeoutMs: read.SMTP_TIMEOUT_MS };
}

function readSms(env: Environment): SmsConfig | null {
  if (!env.TWILIO_ACCOUNT_SID) return null;
  const read = readEnvironment(env, smsVariables);
  return {
    accountSid: read.TWILIO_ACCOUNT_SID,
    authToken: read.TWILIO_AUTH_TOKEN,
    from: read.TWILIO_FROM,
    baseUrl: read.TWILIO_BASE_URL,
    timeoutMs: read.TWILIO_TIMEOUT_MS,
  };
}
