import type { Problem } from "./contract.ts";

/** The server's refusal (RFC 9457), or what stands in for one when the answer was none of its own. */
export class ProblemError extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: readonly { pointer: string; detail: string }[];

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`);
    this.name = "ProblemError";
    this.status = status;
    this.code = problem.code ?? "unknown";
    this.title = problem.title ?? `HTTP ${status}`;
    this.detail = problem.detail ?? "";
    this.requestId = problem.requestId ?? null;
    this.errors = problem.errors ?? [];
  }
}
