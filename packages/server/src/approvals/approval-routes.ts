import { type Context, Hono } from "hono";
import {
  type Approval,
  ApprovalError,
  type Engine,
  type Job,
  PayloadTooLargeError,
  RefusedError,
} from "lockstep";
import type { Caller } from "../access/caller.ts";
import type { JobView } from "../jobs/job-view.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import { problemOf } from "../middleware/problem-of.ts";
import type { ServerEnv } from "../server-env.ts";
import { askingPage, decidedPage, refusalPage } from "./approval-pages.ts";
import { type Refusal, refusalFor, refusalOf, refusals } from "./approval-state.ts";
import { FormError, formValue } from "./form-value.ts";
import type { FormSchema } from "./schema-form.ts";

export interface ApprovalRouteParts {
  readonly engine: Pick<Engine, "approval" | "decide">;
  readonly view: Pick<JobView, "job">;
  readonly mountPath: string;
}

type Status = Refusal["status"] | 200 | 415 | ProblemError["status"];

/**
 * The page of an approval link, for somebody who has nothing else: GET shows what is to be decided and changes nothing, however often programs
 * that look at mail open it; POST decides. It works without scripts.
 */
export function approvalRoutes({ engine, view, mountPath }: ApprovalRouteParts): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  const answer = (c: Context<ServerEnv>, html: string, status: Status) =>
    c.html(html.replace("%base%", mountPath), status, {
      "Content-Security-Policy":
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      "X-Robots-Tag": "noindex, nofollow",
    });
  const refuse = (c: Context<ServerEnv>, refusal: Refusal) => answer(c, refusalPage(refusal), refusal.status);
  const shown = (approval: Approval, job: Job) => view.job(job, readerNamed(approval.by));

  app.get("/:token", async (c) => {
    const approval = await engine.approval(c.req.param("token"));
    const { job } = approval;
    const refusal = refusalOf(approval);
    if (refusal !== null || job === null) return refuse(c, refusal ?? refusals.ended);
    return answer(c, askingPage(approval, shown(approval, job), null), 200);
  });

  app.post("/:token", async (c) => {
    const token = c.req.param("token");
    const approval = await engine.approval(token);
    if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(c.req.header("content-type") ?? "")) {
      return answer(
        c,
        refusalPage({ title: "Nothing was decided", sentence: "Send the form of the page." }),
        415,
      );
    }
    const given = new URLSearchParams(await c.req.text());
    try {
      const value = formValue((approval.schema ?? {}) as FormSchema, given);
      const { answer: said } = await engine.decide(token, value);
      if (said === "signalled" || said === "kept") return answer(c, decidedPage(approval, said, value), 200);
      return refuse(
        c,
        said === "already_signalled" ? (refusalOf(approval) ?? refusals.used) : refusalFor(said),
      );
    } catch (error) {
      const { job } = approval;
      const sentence = complaintIn(error);
      if (sentence === null || job === null) throw error;
      return answer(c, askingPage(approval, shown(approval, job), { sentence, given }), 422);
    }
  });

  app.onError((error, c) => {
    if (error instanceof ApprovalError) return refuse(c, refusals[error.reason ?? "forged"]);
    const problem = error instanceof ProblemError ? error : problemOf(error);
    // What nobody knows is logged, and told in the one way of all.
    if (problem === null) throw error;
    for (const [name, value] of Object.entries(problem.extras.headers ?? {})) c.header(name, value);
    return answer(
      c,
      refusalPage({ title: "Nothing was decided", sentence: problem.message }),
      problem.status,
    );
  });
  return app;
}

/** What is wrong with a decision, in a sentence for the one who made it; null if it is no matter of theirs. */
function complaintIn(error: unknown): string | null {
  if (error instanceof FormError || error instanceof PayloadTooLargeError) return error.message;
  if (!(error instanceof RefusedError) || !["LS001", "LS009"].includes(error.code)) return null;
  // "Job … cannot be signalled: the value does not fit the schema of wait …: what is wrong."
  return `This cannot be taken: ${error.message.replace(/^Job \S+ cannot be signalled: /, "")}`;
}

/** Sees what was to be shown to the one who decides, but for what is hidden from all. */
function readerNamed(user: string): Caller {
  return { user, rights: new Set(["jobs.read", "jobs.payload"]), owner: null, scope: null };
}
