import { redactText } from "./redact.ts";

// SQLSTATE or the operating system's code → what to do about it.
const adviceByCode = new Map<unknown, string>(
  Object.entries({
    ECONNREFUSED: "start PostgreSQL, or correct host and port in databaseUrl or connection",
    ENOTFOUND: "correct the host name in databaseUrl or connection, or fix the name resolution",
    EAI_AGAIN: "correct the host name in databaseUrl or connection, or fix the name resolution",
    ETIMEDOUT: "check the network between this process and PostgreSQL",
    "28P01": "correct user and password in databaseUrl or connection",
    "28000": "correct user and password in databaseUrl or connection, and check that pg_hba.conf allows them",
    "3D000": "create the database, or correct its name in databaseUrl or connection",
    "3F000": "create Lockstep's tables and functions with migrate",
    "42883": "create Lockstep's tables and functions with migrate",
    "42501": "grant one of Lockstep's roles to the user of databaseUrl or connection",
    "53300": "raise max_connections, or lower the setting connections",
    "57P03": "wait: PostgreSQL is starting or stopping",
    "25006":
      "wait if this server is about to become the primary, or let databaseUrl or connection lead to the primary",
    "53100": "make room on the disk of PostgreSQL",
  }),
);

/** One sentence for an outage: what is wrong, and what to do. */
export function databaseAdvice(error: Error): string {
  const code = (error as { code?: unknown }).code;
  const advice = adviceByCode.get(code);
  const cause = redactText(error.message || String(code ?? error.name)).slice(0, 300);
  return `The database cannot be used (${cause}): ${advice ?? "check that PostgreSQL runs and that databaseUrl or connection is right"}; the engine keeps trying by itself.`;
}
