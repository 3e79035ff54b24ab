import { PermanentError, UnknownOutcomeError } from "lockstep";
import { createTransport } from "nodemailer";
import type { MailConfig } from "../daily-brief-config.ts";
import type { Email, EmailSender } from "./message-senders.ts";

const oneLine = /^[^\r\n]+$/;

/** Sends over SMTP, one connection a mail. */
export class SmtpSender implements EmailSender {
  readonly #config: MailConfig;

  constructor(config: MailConfig) {
    this.#config = config;
  }

  async send({ to, subject, text, html, trackingId }: Email): Promise<string> {
    if (!oneLine.test(to) || !oneLine.test(subject)) {
      throw new PermanentError("An address or a subject with a line break is not sent.");
    }
    const { smtpUrl: url, from, timeoutMs } = this.#config;
    const wire = new WireLog();
    const transport = createTransport({
      url,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      transactionLog: true,
      logger: wire,
    } as Parameters<typeof createTransport>[0]);
    try {
      const messageId = `<${trackingId}@${from.split("@")[1] ?? "localhost"}>`;
      const sent = await transport.sendMail({
        from,
        // As one address: a text with a comma in it would be several.
        to: { name: "", address: to },
        subject,
        text,
        html,
        messageId,
        headers: { "X-Tracking-Id": trackingId },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return sent.messageId;
    } catch (error) {
      throw mailErrorOf(error, wire.hasBegunData);
    } finally {
      transport.close();
    }
  }
}

/** What a failed mail means: not retried, retried, or perhaps sent. */
export function mailErrorOf(error: unknown, hasBegunData: boolean): Error {
  const { responseCode, message = String(error) } = error as { responseCode?: number; message?: string };
  if (responseCode !== undefined && responseCode >= 500) {
    return new PermanentError(`The mail server refused the mail: ${message}`);
  }
  // No cause: the ledger would treat a cut connection as a doubt, and before the mail itself was sent there is none.
  if (responseCode !== undefined || !hasBegunData) return new Error(`The mail was not sent: ${message}`);
  return new UnknownOutcomeError(`The mail server did not say whether it took the mail: ${message}`, {
    cause: error,
  });
}

/** Watches the SMTP conversation. Nodemailer's errors do not say whether the mail itself was being sent. */
class WireLog {
  hasBegunData = false;

  debug(entry: unknown, line?: unknown): void {
    if ((entry as { tnx?: unknown } | null)?.tnx === "client" && line === "DATA") this.hasBegunData = true;
  }
  trace(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
  fatal(): void {}
  level(): void {}
}
