import { defineConfig } from "prisma/config";

export default defineConfig({
  schema: "prisma/schema.prisma",
  // Only `prisma migrate` asks for it; `prisma generate` needs no database.
  datasource: { url: process.env.DATABASE_URL ?? "" },
});
