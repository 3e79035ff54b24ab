import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { Act, Engine, RecordedWrites } from "lockstep";
import type { ServerEnv } from "../server-env.ts";
import { callerOf } from "./needs.ts";
import { ProblemError } from "./problem-error.ts";

/**
 * What a caller does, in one transaction with the row of the audit log that tells of it, and with its answer when there
 * is an Idempotency-Key: then the same request is answered alike however often it comes.
 */
export async function recorded<Answer>(
  c: Context<ServerEnv>,
  engine: Engine,
  act: Pick<Act, "action" | "target">,
  run: (writes: RecordedWrites) => Promise<Answer>,
): Promise<Answer> {
  const key = keyIn(c.req.header("idempotency-key"));
  const { user, owner } = callerOf(c);
  const requestId = c.get("requestId");
  const idempotency = key === undefined ? undefined : { key, requestHash: await hashOf(c) };
  const { answer, isReplayed } = await engine.recorded({ ...act, user, owner, requestId, idempotency }, run);
  if (isReplayed) c.header("Idempotent-Replayed", "true");
  return answer;
}

/** As a structured field it stands in quotes; most clients send it bare. */
function keyIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = header.trim().replace(/^"(.*)"$/, "$1");
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new ProblemError("input.invalid", "An Idempotency-Key has 1 to 255 visible ASCII characters.", {
    errors: [{ pointer: "idempotency-key", detail: "must have 1 to 255 visible ASCII characters" }],
  });
}

async function hashOf(c: Context<ServerEnv>): Promise<string> {
  const { method, path } = c.req;
  // What If-Match asks for is part of the request; the rest of the headers is how it travels.
  const parts = [method, path, c.req.header("if-match") ?? "", await c.req.text()];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
