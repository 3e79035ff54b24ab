import { boolean, pgTable, text } from "drizzle-orm/pg-core";

/** One row: how far the log of jobs has been read. */
export const followerTable = pgTable("entry_follower", {
  isOnly: boolean("is_only").primaryKey().default(true),
  cursor: text().notNull(),
});
