import type { Twilio } from "twilio";
import type { SmsConfig } from "../daily-brief-config.ts";
import type { Sms, SmsSender } from "./message-senders.ts";

// How far Twilio's clock and the database's may be apart.
const clockSlackMs = 600_000;

/** Sends over Twilio's API, or one of its shape at another address. */
export class TwilioSender implements SmsSender {
  readonly hasProvider = true;
  readonly #config: SmsConfig;
  #client: Promise<Twilio> | null = null;

  constructor(config: SmsConfig) {
    this.#config = config;
  }

  async send({ to, text, mayBeSentSince, signal }: Sms): Promise<string> {
    this.#client ??= connect(this.#config);
    const client = await this.#client;
    signal.throwIfAborted();
    // Twilio knows no idempotency keys, but it can be asked what it has sent.
    if (mayBeSentSince !== null) {
      const sinceMs = mayBeSentSince.getTime() - clockSlackMs;
      const earlier = await client.messages.list({ to, from: this.#config.from, limit: 50 });
      // Not an older one: tomorrow's brief may have the words of today's.
      const same = earlier.find(({ body, dateCreated }) => body === text && dateCreated.getTime() >= sinceMs);
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
