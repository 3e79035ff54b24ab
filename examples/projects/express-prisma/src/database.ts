import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "./generated/prisma/client.ts";

export const databaseUrl = process.env.DATABASE_URL ?? "";
export const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: databaseUrl }) });
