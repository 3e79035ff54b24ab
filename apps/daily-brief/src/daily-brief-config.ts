import { type Environment, environmentError, wholeNumber } from "@lockstep/app-kit";

/** All that the app can be told, read from the environment once. */
export interface DailyBriefConfig {
  /** Null: the database of the `lockstep dev` that runs in this folder, or one of the app's own. */
  readonly databaseUrl: string | null;
  readonly port: number;
  /** False: others work on this database, and here is only the page. */
  readonly worksInServer: boolean;
  /** Signs the tokens of the page; all processes must share it. Null: a new one at each start. */
  readonly tokenSecret: string | null;
  readonly statsIntervalMs: number;
  /** How soon a person who came, moved or went has the schedule that goes with it. */
  readonly schedulesIntervalMs: number;
  /** Null: the local writer, which needs no model. */
  readonly model: ModelConfig | null;
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

const timeoutRange = { least: 100, most: 600_000 };
const secretLength = 32;

/** A wrong value is refused with the name of its variable; an empty one counts as not set. */
export function readDailyBriefConfig(env: Environment): DailyBriefConfig {
  return {
    databaseUrl: env.DATABASE_URL || null,
    port: wholeNumber(env, "DAILY_BRIEF_PORT", 4410, { least: 0, most: 65_535 }),
    worksInServer: readWorker(env),
    tokenSecret: readTokenSecret(env),
    statsIntervalMs: wholeNumber(env, "DAILY_BRIEF_STATS_INTERVAL_MS", 300_000, {
      least: 1_000,
      most: 86_400_000,
    }),
    schedulesIntervalMs: wholeNumber(env, "DAILY_BRIEF_SCHEDULES_INTERVAL_MS", 60_000, {
      least: 1_000,
      most: 86_400_000,
    }),
    model: readModel(env),
    mail: readMail(env),
    sms: readSms(env),
    emailsPerDay: wholeNumber(env, "DAILY_BRIEF_EMAILS_PER_DAY", 200, { least: 0, most: 1_000_000 }),
    smsPerDay: wholeNumber(env, "DAILY_BRIEF_SMS_PER_DAY", 20, { least: 0, most: 1_000_000 }),
  };
}

function readWorker(env: Environment): boolean {
  const worker = env.DAILY_BRIEF_WORKER || "in-server";
  if (worker === "in-server" || worker === "separate") return worker === "in-server";
  throw environmentError("DAILY_BRIEF_WORKER", 'must be "in-server" or "separate".');
}

function readTokenSecret(env: Environment): string | null {
  const secret = env.DAILY_BRIEF_TOKEN_SECRET;
  if (!secret) return null;
  if (secret.length >= secretLength) return secret;
  throw environmentError("DAILY_BRIEF_TOKEN_SECRET", `must have at least ${secretLength} characters.`);
}

function readModel(env: Environment): ModelConfig | null {
  const apiKey = env.MODEL_API_KEY || env.OPENAI_API_KEY || null;
  const baseUrl = env.MODEL_BASE_URL ? webAddress(env, "MODEL_BASE_URL") : null;
  if (apiKey === null && baseUrl === null) return null;
  return {
    name: env.MODEL_NAME || "gpt-5-mini",
    apiKey,
    baseUrl,
    timeoutMs: wholeNumber(env, "MODEL_TIMEOUT_MS", 60_000, timeoutRange),
  };
}

function readMail(env: Environment): MailConfig | null {
  if (!env.SMTP_URL) return null;
  if (!/^smtps?:\/\//.test(env.SMTP_URL)) {
    throw environmentError(
      "SMTP_URL",
      "must be an address such as smtp://user:password@mail.example.com:587.",
    );
  }
  return {
    smtpUrl: env.SMTP_URL,
    from: sender(env),
    timeoutMs: wholeNumber(env, "SMTP_TIMEOUT_MS", 30_000, timeoutRange),
  };
}

/** Checked here, since it stands in the head of every mail. */
function sender(env: Environment): string {
  const from = env.MAIL_FROM ?? "";
  if (/^[^\s@,;<>]+@[^\s@,;<>]+$/.test(from)) return from;
  throw environmentError("MAIL_FROM", "must say who the mails are from, such as brief@example.com.");
}

function readSms(env: Environment): SmsConfig | null {
  if (!env.TWILIO_ACCOUNT_SID) return null;
  return {
    accountSid: env.TWILIO_ACCOUNT_SID,
    authToken: required(env, "TWILIO_AUTH_TOKEN", "must be set beside TWILIO_ACCOUNT_SID."),
    from: required(env, "TWILIO_FROM", "must be the number that SMS come from, such as +15550100."),
    baseUrl: env.TWILIO_BASE_URL ? webAddress(env, "TWILIO_BASE_URL") : "https://api.twilio.com",
    timeoutMs: wholeNumber(env, "TWILIO_TIMEOUT_MS", 30_000, timeoutRange),
  };
}

function required(env: Environment, name: string, sentence: string): string {
  const value = env[name];
  if (!value) throw environmentError(name, sentence);
  return value;
}

function webAddress(env: Environment, name: string): string {
  const value = env[name] ?? "";
  if (!/^https?:\/\//.test(value))
    throw environmentError(name, "must be an address such as http://127.0.0.1:9000.");
  return value.replace(/\/$/, "");
}
