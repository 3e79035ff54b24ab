import { migrateCommand } from "@lockstep/database";
import {
  AddOptionError,
  BreakingMigrationError,
  BulkActionError,
  ConfigError,
  CursorError,
  DatabaseUnavailableError,
  InvalidJobIdError,
  InvalidPayloadError,
  JobFilterError,
  MigrateError,
  MigrationBlockedError,
  MigrationForbiddenError,
  OtherMigrationsError,
  PayloadTooLargeError,
  ReadEventsOptionError,
  RefusedError,
  SchemaMissingError,
  SchemaTooNewError,
  StatementTimeoutError,
} from "lockstep";
import type { Output } from "../output/output.ts";
import type { ExitName } from "../session/exit-code.ts";
import { CliError } from "./cli-error.ts";

/** Codes of the database's own refusals. */
const refusals: Record<string, { exit: ExitName; code: string }> = {
  LS001: { exit: "usage", code: "input.refused" },
  LS002: { exit: "notFound", code: "pipeline.not_found" },
  LS003: { exit: "conflict", code: "state.conflict" },
  LS005: { exit: "conflict", code: "pipeline.full" },
  LS007: { exit: "notFound", code: "schedule.not_found" },
  LS009: { exit: "usage", code: "payload.invalid" },
  LS008: { exit: "conflict", code: "job.id_taken" },
};

/** Turns any error into what the CLI shows: what happened, why, what to do, a code and an exit code. */
export function asCliError(thrown: unknown): CliError {
  if (thrown instanceof CliError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const made = (exit: ExitName, code: string, advice?: string) =>
    new CliError({ exit, code, message, advice, cause: thrown });
  if (thrown instanceof StatementTimeoutError) {
    return made("failed", "query.timeout", "Ask for less: a pipeline, a status, a shorter time.");
  }
  if (thrown instanceof DatabaseUnavailableError) {
    return made(
      "unreachable",
      "database.unavailable",
      "Check DATABASE_URL or --database-url; `lockstep doctor` says more once it answers.",
    );
  }
  if (thrown instanceof SchemaMissingError) {
    return new CliError({
      exit: "failed",
      code: "schema.missing",
      message: "The database has no Lockstep schema of this version.",
      why: message,
      advice: `Run \`${migrateCommand(thrown.schema)}\`.`,
      cause: thrown,
    });
  }
  if (thrown instanceof SchemaTooNewError) {
    return made("failed", "schema.too_new", "Update @lockstep/cli to the version of your workers.");
  }
  if (thrown instanceof OtherMigrationsError) return made("failed", "schema.other");
  if (thrown instanceof BreakingMigrationError) return made("conflict", "migrate.breaking");
  if (thrown instanceof MigrationBlockedError) return made("conflict", "migrate.blocked");
  if (thrown instanceof MigrationForbiddenError) return made("failed", "migrate.forbidden");
  if (thrown instanceof MigrateError) return made("failed", "migrate.refused");
  if (thrown instanceof RefusedError) {
    const { exit, code } = refusals[thrown.code] ?? { exit: "failed", code: thrown.code };
    return made(exit, code);
  }
  if (thrown instanceof InvalidJobIdError) return made("usage", "job.invalid_id");
  if (thrown instanceof InvalidPayloadError || thrown instanceof PayloadTooLargeError) {
    return made("usage", "payload.invalid");
  }
  if (thrown instanceof JobFilterError) return made("usage", "filter.invalid");
  if (thrown instanceof CursorError) return made("usage", thrown.code);
  if (thrown instanceof BulkActionError) return made("usage", "bulk.invalid");
  if (thrown instanceof ReadEventsOptionError) return made("usage", "option.invalid");
  if (thrown instanceof AddOptionError) return made("usage", "option.invalid");
  if (thrown instanceof ConfigError) return made("usage", "setting.invalid");
  return made("failed", "failed", "Run it again with --debug for the whole error.");
}

export function reportError(error: CliError, output: Output, { isDebug }: { isDebug: boolean }): void {
  const { code, message, why, advice } = error;
  if (output.format !== "text") {
    output.error([JSON.stringify({ error: { code, message, why, advice } })]);
  } else {
    const { red, dim } = output.talkPaint;
    output.error([
      `${red("error")}  ${output.safe(message)}`,
      ...(why === undefined ? [] : [`  why  ${output.safe(why)}`]),
      ...(advice === undefined ? [] : [`   do  ${output.safe(advice)}`]),
      dim(` code  ${code}, see docs/cli.md`),
    ]);
  }
  if (isDebug) output.error([stackOf(error)]);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
