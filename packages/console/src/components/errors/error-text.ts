import type { ErrorCause } from "../../api/contract.ts";
import { text } from "../../text/text.ts";

/** An error to be pasted elsewhere: with its stack, its causes and their stacks. */
export function errorText(error: ErrorCause): string {
  const { name, message, stack, cause, hasMoreCauses, errors = [], moreErrors = 0 } = error;
  return [
    stack ?? `${name}: ${message}`,
    ...(cause === undefined ? [] : [`${text.job.causedBy}: ${errorText(cause)}`]),
    ...(hasMoreCauses ? [text.job.moreCauses] : []),
    ...errors.map((one) => `${text.job.oneOfErrors}: ${errorText(one)}`),
    ...(moreErrors > 0 ? [text.job.moreErrors(moreErrors)] : []),
  ].join("\n");
}
