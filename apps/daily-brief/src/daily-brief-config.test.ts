import { expect, test } from "vitest";
import { readDailyBriefConfig } from "./daily-brief-config.ts";

const twilio = { TWILIO_ACCOUNT_SID: "AC1", TWILIO_AUTH_TOKEN: "secret", TWILIO_FROM: "+15550100" };

test("with nothing set it writes by itself, sends nothing to anybody, and has its limits", () => {
  expect(readDailyBriefConfig({ SMTP_URL: "" })).toEqual({
    ...{ databaseUrl: null, port: 4410, worksInServer: true, tokenSecret: null, statsIntervalMs: 300_000 },
    schedulesIntervalMs: 60_000,
    ...{ signsIn: false, registers: true },
    ...{ model: null, mail: null, sms: null, emailsPerDay: 200, smsPerDay: 20 },
  });
});

test("a key alone means OpenAI, an address alone a server of its shape", () => {
  expect(readDailyBriefConfig({ OPENAI_API_KEY: "key" }).model).toMatchObject({
    apiKey: "key",
    baseUrl: null,
  });
  const { model } = readDailyBriefConfig({
    MODEL_BASE_URL: "http://127.0.0.1:9000/v1/",
    MODEL_NAME: "small",
  });
  expect(model).toMatchObject({ apiKey: null, baseUrl: "http://127.0.0.1:9000/v1", name: "small" });
});

test("Twilio's own address is taken unless another is set", () => {
  expect(readDailyBriefConfig(twilio).sms?.baseUrl).toBe("https://api.twilio.com");
  const elsewhere = { ...twilio, TWILIO_BASE_URL: "http://127.0.0.1:9000" };
  expect(readDailyBriefConfig(elsewhere).sms?.baseUrl).toBe("http://127.0.0.1:9000");
});

test.each([
  [{ DAILY_BRIEF_PORT: "http" }, "DAILY_BRIEF_PORT must be a whole number from 0 to 65535"],
  [{ DAILY_BRIEF_WORKER: "none" }, 'DAILY_BRIEF_WORKER must be "in-server" or "separate"'],
  [{ DAILY_BRIEF_STATS_INTERVAL_MS: "0" }, "DAILY_BRIEF_STATS_INTERVAL_MS must be a whole number from 1000"],
  [{ DAILY_BRIEF_SIGN_IN: "always" }, 'DAILY_BRIEF_SIGN_IN must be "none" or "mail"'],
  [{ DAILY_BRIEF_SIGN_IN: "mail" }, "SMTP_URL is not set"],
  [{ DAILY_BRIEF_SMS_PER_DAY: "-1" }, "DAILY_BRIEF_SMS_PER_DAY must be a whole number"],
  [{ DAILY_BRIEF_TOKEN_SECRET: "short" }, "DAILY_BRIEF_TOKEN_SECRET must have at least 32 characters"],
  [{ SMTP_URL: "mail.example.com" }, "SMTP_URL must be an address"],
  [
    { SMTP_URL: "smtp://127.0.0.1" },
    "MAIL_FROM is not set; it must be the address that mails are sent from, such as brief@example.com.",
  ],
  [{ SMTP_URL: "smtp://127.0.0.1", MAIL_FROM: "a@b.c\r\nBcc: d@e.f" }, "MAIL_FROM must be the address"],
  [
    { TWILIO_ACCOUNT_SID: "AC1" },
    "TWILIO_AUTH_TOKEN is not set; it must be set together with TWILIO_ACCOUNT_SID",
  ],
  [{ ...twilio, TWILIO_BASE_URL: "localhost" }, "TWILIO_BASE_URL must be an address"],
  [{ MODEL_BASE_URL: "ftp://models" }, "MODEL_BASE_URL must be an address"],
])("%j is refused with the name of the variable", (env, sentence) => {
  expect(() => readDailyBriefConfig(env)).toThrow(sentence);
});
