/** How to speak through the open transaction of one database client, which is known by its shape: none is imported. */
export interface TransactionAdapter<Client = never> {
  /** As people call the client. */
  readonly name: string;
  /** Whether this is an object of that client: a transaction, or what is easily given in its place. */
  recognises(tx: object): boolean;
  /** Why it is no open transaction, as far as can be told without PostgreSQL; null when nothing speaks against it. */
  refusal(tx: Client): string | null;
  /** Whether only PostgreSQL can tell that it has ended: it is asked first then. */
  mustAsk(tx: Client): boolean;
  /** Whether this error of the client says that the transaction is over and nothing was sent. */
  saysEnded(error: unknown): boolean;
  /** The rows of one statement with $1, $2, … in order. All values are texts, and one text comes back as "answer". */
  query(tx: Client, text: string, values: readonly (string | null)[]): Promise<readonly unknown[]>;
}

/** Whether the object has functions under all of these names. */
export function hasFunctions(tx: object, ...names: readonly string[]): boolean {
  return names.every((name) => typeof (tx as Record<string, unknown>)[name] === "function");
}
