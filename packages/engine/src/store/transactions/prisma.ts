import { hasFunctions, type TransactionAdapter } from "./transaction-adapter.ts";

interface PrismaTransaction {
  $queryRawUnsafe(text: string, ...values: unknown[]): Promise<readonly unknown[]>;
}

/** The client that Prisma hands to the function of an interactive `$transaction`. */
export const prismaAdapter: TransactionAdapter<PrismaTransaction> = {
  name: "Prisma",
  recognises: (tx) => hasFunctions(tx, "$queryRawUnsafe", "$executeRawUnsafe"),
  refusal: (tx) =>
    // Inside a transaction there is no connecting any more.
    hasFunctions(tx, "$connect")
      ? "It is the PrismaClient itself: use `prisma.$transaction(async (tx) => …)` and give what its function is handed."
      : null,
  mustAsk: () => false,
  saysEnded: (error) => (error as { code?: unknown } | null)?.code === "P2028",
  query: async (tx, text, values) => await tx.$queryRawUnsafe(text, ...values),
};
