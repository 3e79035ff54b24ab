import { Hono } from "hono";
import type { Engine, JobId } from "lockstep";
import { z } from "zod";
import type { DailyBriefApp } from "../daily-brief-app.ts";
import { briefJob } from "../services/brief-job.ts";
import { bodyOf } from "./body-of.ts";
import type { PersonEnv } from "./person-env.ts";

const ended: readonly string[] = ["failed", "cancelled"];
const askedJob = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("generate_daily_brief") }),
  z.strictObject({ type: z.literal("generate_phases"), projectId: z.string().max(80) }),
]);

export interface JobParts {
  readonly engine: Engine;
  readonly app: Pick<DailyBriefApp, "projects" | "pipelines">;
}

/** The jobs that a person may ask for, and theirs that failed. */
export function jobRoutes({ engine, app }: JobParts): Hono<PersonEnv> {
  const routes = new Hono<PersonEnv>();
  routes.post("/", async (context) => {
    const { person } = context.var;
    const asked = await bodyOf(context, askedJob);
    if (asked instanceof Response) return asked;
    const owner = person.id;
    if (asked.type === "generate_phases") {
      const { projectId } = asked;
      const isTheirs = (await app.projects.projectsOf(owner)).some(({ id }) => id === projectId);
      if (!isTheirs) return context.notFound();
      return context.json(
        await engine.add(app.pipelines.generatePhases, { projectId }, { owner, priority: 8 }),
      );
    }
    const { payload, options } = briefJob(person, new Date());
    const added = await engine.add(app.pipelines.generateDailyBrief, payload, { ...options, priority: 1 });
    // Today's brief failed: a person who asks again wants another try.
    const isRetried = !added.created && ended.includes(added.status ?? "");
    if (isRetried) await engine.retry(added.id);
    return context.json({ ...added, isRetried });
  });

  routes.post("/:id/retry", async (context) => {
    const id = context.req.param("id");
    const job = z.uuid().safeParse(id).success ? await engine.get(id as JobId) : null;
    // Somebody else's job is as unknown as one that does not exist.
    if (job === null || job.owner !== context.var.person.id) return context.notFound();
    const { answer } = await engine.retry(job.id);
    if (answer === "applied") return context.body(null, 204);
    return context.json({ error: "Only a job that has failed or was cancelled can be tried again." }, 409);
  });
  return routes;
}
