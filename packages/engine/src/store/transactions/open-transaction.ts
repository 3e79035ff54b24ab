import { textsIn } from "../calls/texts-in.ts";
import { codeOf, RefusedError } from "../connections/database-error.ts";
import { drizzleAdapter } from "./drizzle.ts";
import { knexAdapter } from "./knex.ts";
import { kyselyAdapter } from "./kysely.ts";
import { pgAdapter } from "./pg.ts";
import { postgresJsAdapter } from "./postgres-js.ts";
import { prismaAdapter } from "./prisma.ts";
import type { TransactionAdapter } from "./transaction-adapter.ts";
import { TransactionError } from "./transaction-error.ts";
import { typeormAdapter } from "./typeorm.ts";

/** The caller's open transaction: what is sent through it commits or rolls back with the rest of it. */
export interface OpenTransaction {
  /** The "answer" of one statement. Sent once: what became of it is the caller's to know. */
  answer(text: string, values: readonly (string | null)[]): Promise<string | null>;
}

const adapters: readonly TransactionAdapter[] = [
  pgAdapter,
  postgresJsAdapter,
  drizzleAdapter,
  kyselyAdapter,
  knexAdapter,
  typeormAdapter,
  prismaAdapter,
];

const known = "an open transaction of pg, postgres.js, Prisma, Drizzle, Kysely, Knex or TypeORM";

// PostgreSQL refuses it outside a transaction. It changes nothing, and nobody waits for this lock.
const question = "lock table pg_catalog.pg_language in access share mode";
const noTransaction = "25P01";

/** Refuses anything but an open transaction; if possible, before anything is sent. Its statements are for the schema of this name. */
export function openTransaction(tx: unknown, schema: string): OpenTransaction {
  if ((typeof tx !== "object" || tx === null) && typeof tx !== "function") {
    throw new TransactionError(
      `It is ${String(tx)}, and must be ${known}; without a transaction, leave it out.`,
    );
  }
  const adapter = adapters.find((candidate) => candidate.recognises(tx));
  if (adapter === undefined) throw new TransactionError(`It is not known here, and must be ${known}.`);
  const client = tx as never;
  const refusal = adapter.refusal(client);
  if (refusal !== null) throw new TransactionError(refusal);
  return {
    async answer(text, values) {
      try {
        if (adapter.mustAsk(client)) await adapter.query(client, question, []);
        const [row] = await adapter.query(client, textsIn(schema)(text), values);
        return (row as { answer?: string | null } | undefined)?.answer ?? null;
      } catch (error) {
        throw named(error, adapter);
      }
    },
  };
}

/** Our own refusals look the same through every client; its other errors are the caller's, as they are. */
function named(error: unknown, adapter: TransactionAdapter): unknown {
  const saying = databaseError(error, (code) => /^LS\d{3}$/.test(code));
  if (saying !== null) return new RefusedError(saying);
  if (!adapter.saysEnded(error) && databaseError(error, (code) => code === noTransaction) === null)
    return error;
  return new TransactionError(`This transaction of ${adapter.name} was committed or rolled back already.`, {
    cause: error,
  });
}

/** What PostgreSQL said, wherever the client puts it: the innermost, since outer errors may show the payload. */
function databaseError(error: unknown, isWanted: (code: string) => boolean): Error | null {
  let found: Error | null = null;
  for (let inner = error, depth = 0; typeof inner === "object" && inner !== null && depth < 5; depth += 1) {
    if (isWanted(codeOf(inner))) found = inner as Error;
    const { cause, driverError, meta } = inner as {
      cause?: unknown;
      driverError?: unknown;
      meta?: { driverAdapterError?: unknown };
    };
    inner = driverError ?? meta?.driverAdapterError ?? cause;
  }
  return found;
}
