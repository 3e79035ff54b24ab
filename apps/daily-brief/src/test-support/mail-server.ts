import type { AddressInfo } from "node:net";
import { simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
}

export interface MailServer {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** What is said to a recipient: an SMTP code, or null for yes. */
  refuse: (address: string) => number | null;
  /** Waited for after a mail was taken and before that is said. */
  beforeAnswer: () => Promise<void>;
  received(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** A real SMTP server that keeps what it is sent. */
export async function startMailServer(port = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const watchers: (() => void)[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = mailServer.refuse(address);
      done(responseCode === null ? null : Object.assign(new Error("refused"), { responseCode }));
    },
    onData: (stream, { envelope }, done) => {
      simpleParser(stream)
        .then(async ({ subject = "", text = "", html, messageId = "" }) => {
          const to = envelope.rcptTo.map(({ address }) => address).join();
          mails.push({ to, subject, text, html: html || "", messageId });
          for (const look of watchers) look();
          await mailServer.beforeAnswer();
          done();
        })
        .catch(done);
    },
  });
  // Clients that are killed cut their connections.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.server.address() as AddressInfo;
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    refuse: () => null,
    beforeAnswer: async () => {},
    received: (count) =>
      new Promise((resolve) => {
        const look = () => mails.length >= count && resolve();
        watchers.push(look);
        look();
      }),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}
