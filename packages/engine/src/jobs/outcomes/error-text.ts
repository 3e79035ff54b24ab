import type { ErrorCause } from "../reading/job.ts";

/** An error with its stack and those of its causes, one under the other, for readers that know nothing but text. */
export function errorText(error: ErrorCause): string {
  const { name, message, stack, cause, errors = [] } = error;
  return [
    stack ?? `${name}: ${message}`,
    ...(cause === undefined ? [] : [`Caused by: ${errorText(cause)}`]),
    ...errors.map((one) => `One of its errors: ${errorText(one)}`),
  ].join("\n");
}
