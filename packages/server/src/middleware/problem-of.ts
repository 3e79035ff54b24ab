import {
  ActError,
  AddOptionError,
  BulkActionError,
  CursorError,
  DatabaseUnavailableError,
  DefinitionError,
  HistoryFilterError,
  IdempotencyKeyInUseError,
  IdempotencyKeyReusedError,
  InvalidJobIdError,
  InvalidPayloadError,
  JobFilterError,
  OwnerTokenError,
  PayloadTooLargeError,
  RefusedError,
  ScheduleError,
  SchemaMissingError,
  SchemaTooNewError,
  StatementTimeoutError,
  WaitingStoppedError,
} from "lockstep";
import { ProblemError } from "./problem-error.ts";

/** What the engine refuses, as a problem; null for what is no refusal. */
export function problemOf(thrown: unknown): ProblemError | null {
  if (!(thrown instanceof Error)) return null;
  const { message, cause } = thrown;
  if (thrown instanceof InvalidJobIdError) return new ProblemError("job.not_found", message);
  if (thrown instanceof PayloadTooLargeError) return new ProblemError("payload.too_large", message);
  if (thrown instanceof InvalidPayloadError) return invalidPayload(thrown);
  if (thrown instanceof JobFilterError) {
    return new ProblemError("filter.invalid", message, { errors: [{ pointer: "?filter", detail: message }] });
  }
  if (thrown instanceof AddOptionError) return invalidOption(message);
  if (thrown instanceof DefinitionError) return new ProblemError("pipeline.unknown", message);
  if (thrown instanceof HistoryFilterError || thrown instanceof ScheduleError) {
    return new ProblemError("input.invalid", message);
  }
  if (thrown instanceof CursorError) return new ProblemError(thrown.code, message);
  if (thrown instanceof ActError || thrown instanceof BulkActionError)
    return new ProblemError("input.invalid", message);
  if (thrown instanceof IdempotencyKeyReusedError) return new ProblemError("idempotency.reused", message);
  if (thrown instanceof IdempotencyKeyInUseError) {
    return new ProblemError("idempotency.in_use", message, { headers: { "Retry-After": "1" } });
  }
  if (thrown instanceof OwnerTokenError) return new ProblemError("tokens.not_configured", message);
  if (thrown instanceof RefusedError) return refusal(thrown);
  if (thrown instanceof StatementTimeoutError) {
    const detail = "The query took PostgreSQL too long: narrow the filter.";
    return new ProblemError("query.timeout", detail, { cause });
  }
  if (thrown instanceof DatabaseUnavailableError) return unavailable(thrown);
  if (thrown instanceof SchemaMissingError || thrown instanceof SchemaTooNewError) {
    return new ProblemError("database.schema_missing", message, { headers: { "Retry-After": "5" }, cause });
  }
  if (thrown instanceof WaitingStoppedError) {
    return new ProblemError("server.stopping", message, { headers: { "Retry-After": "5" } });
  }
  return null;
}

function invalidPayload({ message, issues }: InvalidPayloadError): ProblemError {
  const errors = issues.map(({ pointer, message: detail }) => ({ pointer: `/payload${pointer}`, detail }));
  return new ProblemError("payload.invalid", message, { errors });
}

/** Such a sentence begins with the option that it is about. */
function invalidOption(message: string): ProblemError {
  const [name = ""] = /^\w+(?= (must|cannot|is) )/.exec(message) ?? [];
  return new ProblemError("input.invalid", message, {
    errors: [{ pointer: name === "" ? "" : `/${name}`, detail: message }],
  });
}

function refusal(thrown: RefusedError): ProblemError {
  const { code, message } = thrown;
  switch (code) {
    case "LS002":
      return new ProblemError("pipeline.unknown", message);
    case "LS003":
      return wrongState(message);
    case "LS005":
      return new ProblemError("pipeline.full", message, { headers: { "Retry-After": "5" } });
    case "LS007":
      return new ProblemError("schedule.not_found", message);
    case "LS009":
      return new ProblemError("payload.invalid", message);
    case "LS008":
      return new ProblemError("job.id_taken", message);
    default:
      return new ProblemError("input.invalid", message);
  }
}

function wrongState(message: string): ProblemError {
  if (message.startsWith("There is no budget")) return new ProblemError("budget.not_found", message);
  if (message.startsWith("There is no stage")) return new ProblemError("stage.not_found", message);
  if (/cannot be (retried|forked) from/.test(message)) return new ProblemError("stage.unknown", message);
  return new ProblemError("state.wrong", message);
}

/** The sentence without what PostgreSQL or the socket said, which may name hosts. */
function unavailable(thrown: DatabaseUnavailableError): ProblemError {
  const detail = thrown.message.replace(/ \(.*\)/s, "");
  return new ProblemError("database.unavailable", detail, { headers: { "Retry-After": "5" }, cause: thrown });
}
