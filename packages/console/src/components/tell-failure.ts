import { ProblemError } from "../api/problem-error.ts";
import { text } from "../text/text.ts";
import { toast } from "../ui/toasts.ts";

/** A failure of one's own action is said at once, in the server's words. */
export function tellFailure(error: unknown): void {
  if (error instanceof ProblemError) toast({ kind: "failed", message: error.title, detail: error.detail });
  else toast({ kind: "failed", message: text.errors.unreachable, detail: text.errors.unreachableAdvice });
}
