/** With which of these the application reads and writes its own tables. */
export const databaseClients = ["drizzle", "prisma"] as const;

export type DatabaseClient = (typeof databaseClients)[number];
