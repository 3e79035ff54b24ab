import type { Twilio } from "twilio";
import type { SmsConfig } from "../daily-brief-config.ts";
import type { Sms, SmsSender } from "./message-senders.ts";

/** Sends over Twilio's API, or one of its shape at another address. */
export class TwilioSender implements SmsSender {
  readonly #config: SmsConfig;
  #client: Promise<Twilio> | null = null;

  constructor(config: SmsConfig) {
    this.#config = config;
  }

  async send({ to, text, mayHaveHappened, signal }: Sms): Promise<string> {
    this.#client ??= connect(this.#config);
    const client = await this.#client;
    signal.throwIfAborted();
    // Twilio knows no idempotency keys, but it can be asked what it has sent.
    if (mayHaveHappened) {
      const earlier = await client.messages.list({ to, from: this.#config.from, limit: 50 });
      const same = earlier.find(({ body }) => body === text);
      if (same !== undefined) return same.sid;
    }
    const { sid } = await client.messages.create({ to, from: this.#config.from, body: text });
    return sid;
  }
}

// Loaded when the first SMS is sent: it is large, and most processes send none.
async function connect({ accountSid, authToken, baseUrl, timeoutMs }: SmsConfig): Promise<Twilio> {
  const [{ default: twilio }, { twilioHttpClient }] = await Promise.all([
    import("twilio"),
    import("./twilio-http-client.ts"),
  ]);
  return twilio(accountSid, authToken, {
    httpClient: twilioHttpClient({ baseUrl, timeoutMs }),
    lazyLoading: true,
  });
}
