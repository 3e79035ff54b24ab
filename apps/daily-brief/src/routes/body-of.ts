import type { Context } from "hono";
import type { z } from "zod";

/** What was sent, if it fits; otherwise the answer that says in a sentence what is wrong. */
export async function bodyOf<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<z.output<Schema> | Response> {
  const read = schema.safeParse(await context.req.json().catch(() => null));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.join(".") ?? "";
  return context.json({ error: issue?.message ?? "This cannot be read.", where }, 422);
}
