import type { StageContext, UnknownPolicy } from "lockstep";

/** A job of a story that has an effect outside: a letter that a provider is asked to send. */
export interface Letter {
  readonly providerUrl: string;
  readonly unknown: UnknownPolicy;
  /** Where its handler waits until the test says `finish`. */
  readonly waits?: "before" | "after";
}

export interface Receipt {
  readonly number: number;
}

export async function sendLetter(
  { once, log }: StageContext,
  { providerUrl, unknown, waits }: Letter,
  toBeFinished: () => Promise<void>,
): Promise<Receipt | null> {
  if (waits === "before") await toBeFinished();
  const receipt = await once("letter", ({ idempotencyKey }) => ask(providerUrl, idempotencyKey), { unknown });
  log.info("sent");
  if (waits === "after") await toBeFinished();
  return receipt;
}

// Heedless of the signal: what the story is about is a call that the provider has got.
async function ask(providerUrl: string, idempotencyKey: string): Promise<Receipt> {
  const answer = await fetch(providerUrl, {
    method: "POST",
    headers: { "idempotency-key": idempotencyKey, connection: "close" },
  });
  return (await answer.json()) as Receipt;
}
