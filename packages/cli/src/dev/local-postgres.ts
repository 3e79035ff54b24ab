import { CliError } from "../errors/cli-error.ts";

/**
 * The PostgreSQL for development, which is not installed with the command: it is sixty megabytes that nobody needs where a
 * database is given.
 */
export async function localPostgres(): Promise<typeof import("@lockstep/local-postgres")> {
  try {
    return await import("@lockstep/local-postgres");
  } catch (error) {
    if (!isNotInstalled(error)) throw error;
    throw new CliError({
      exit: "unreachable",
      code: "database.not_installed",
      message: "No database is configured, and the PostgreSQL for development is not installed here.",
      advice: "Run `npm install --save-dev @lockstep/local-postgres`, or set DATABASE_URL.",
      cause: error,
    });
  }
}

/** It itself, and not something that it imports. */
function isNotInstalled(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" && String(message).includes("@lockstep/local-postgres");
}
