import { z } from "@hono/zod-openapi";

/** What a caller may do, one verb each. */
export const rights = [
  "jobs.read",
  "jobs.payload",
  "jobs.add",
  "jobs.cancel",
  "jobs.retry",
  "jobs.signal",
  "stages.pause",
  "schedules.change",
  "budgets.change",
  "tokens.make",
  "audit.read",
  "metrics.read",
] as const;

/** One thing that a caller may be allowed to do. */
export type Right = (typeof rights)[number];

export const rightSchema = z.enum(rights).openapi("Right");

const linkSchema = z
  .object({
    title: z.string(),
    url: z.string().openapi({ description: "An address of http or https, or a path of this host." }),
  })
  .openapi("ConsoleLink", { example: { title: "Documents", url: "/documents" } });

/** A link that the console shows on its overview. */
export type ConsoleLink = Readonly<z.infer<typeof linkSchema>>;

export const meSchema = z
  .object({
    user: z.string(),
    rights: z.array(rightSchema).readonly(),
    owner: z.string().nullable().openapi({ description: "The owner this access is bound to, if any." }),
    server: z.object({
      environment: z
        .string()
        .nullable()
        .openapi({ description: "What it calls itself.", example: "production" }),
      links: z
        .array(linkSchema)
        .readonly()
        .openapi({ description: "What the console's overview links to, such as other applications." }),
      keepCompletedDays: z.int().openapi({ description: "How long completed jobs are kept." }),
      keepFailedDays: z.int().openapi({ description: "How long failed and cancelled jobs are kept." }),
    }),
  })
  .openapi("Me");

export const ownerTokenRequestSchema = z
  .strictObject({
    owner: z.string().min(1).max(255).optional().openapi({ description: "Whose jobs it shows." }),
    jobId: z.uuid().optional().openapi({ description: "Or the one job that it shows." }),
    expiresInMs: z.int().min(1_000).max(86_400_000).default(900_000),
    signals: z.array(z.string().min(1).max(100)).max(20).default([]).openapi({
      description: "The waits of these jobs that it may signal; none by default.",
    }),
  })
  .refine(({ owner, jobId }) => (owner === undefined) !== (jobId === undefined), {
    message: "needs either owner or jobId",
  })
  .openapi("OwnerTokenRequest", { example: { owner: "user-7", expiresInMs: 900_000 } });

export const ownerTokenSchema = z.object({ token: z.string(), expiresInMs: z.int() }).openapi("OwnerToken");

export type Me = z.infer<typeof meSchema>;
