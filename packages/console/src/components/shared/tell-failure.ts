import { ProblemError } from "../../api/problem-error.ts";
import { text } from "../../text/text.ts";
import { toast } from "../../ui/toasts.ts";

/** A failed action of the user is reported at once, in the server's words. */
export function tellFailure(error: unknown): void {
  if (error instanceof ProblemError) toast({ kind: "failed", message: error.title, detail: error.detail });
  else toast({ kind: "failed", message: text.errors.unreachable, detail: text.errors.unreachableAdvice });
}
