import { PermanentError, UnknownOutcomeError } from "lockstep";
import type { Message, OutboxStore } from "../store/outbox-store.ts";

const words = { email: "mails", sms: "SMS" };

/**
 * Sends a message if the person's day has a place for it; the place is free again when it surely did not go out.
 * `send` is told when the job first tried.
 */
export async function sendWithinTheDay(
  at: { outbox: OutboxStore; message: Message; perDay: number; signal: AbortSignal },
  send: (firstTriedAt: Date) => Promise<string | null>,
): Promise<string | null> {
  const { outbox, message, perDay, signal } = at;
  const firstTriedAt = await outbox.take(message, perDay);
  if (firstTriedAt === null) {
    throw new PermanentError(
      `${message.personId} has had ${perDay} ${words[message.kind]} today, which is the most allowed per day.`,
    );
  }
  try {
    return await send(firstTriedAt);
  } catch (error) {
    // In doubt the place stays taken: the ledger of effects counts both of these as one.
    if (!(error instanceof UnknownOutcomeError) && !signal.aborted) await outbox.giveBack(message.jobId);
    throw error;
  }
}
