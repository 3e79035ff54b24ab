import { integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** As migrations/0001_entries.sql makes it. */
export const entriesTable = pgTable("entries", {
  id: uuid().primaryKey(),
  title: text().notNull(),
  status: text({ enum: ["CREATED", "STAGE_1", "STAGE_2", "COMPLETED", "FAILED"] })
    .notNull()
    .default("CREATED"),
  progress: integer().notNull().default(0),
  result: text(),
  jobId: uuid("job_id").notNull(),
  createdAt: instant("created_at").notNull().defaultNow(),
  updatedAt: instant("updated_at").notNull().defaultNow(),
});
