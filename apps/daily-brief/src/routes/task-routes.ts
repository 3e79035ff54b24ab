import { Hono } from "hono";
import { z } from "zod";
import type { DailyBriefApp } from "../daily-brief-app.ts";
import { dueDay, line, text } from "../services/asked-values.ts";
import { bodyOf } from "./body-of.ts";
import type { PersonEnv } from "./person-env.ts";

const project = z.strictObject({ name: line("The name of a project", 80), summary: text(500) });
const task = z.strictObject({ projectId: z.string().max(80), title: line("A task", 200), dueOn: dueDay });
const finished = z.strictObject({ isDone: z.boolean() });
// A bigint of PostgreSQL.
const taskPath = "/tasks/:id{[0-9]{1,18}}";

/** A person's projects and the tasks in them. Ids of others are as unknown as ids that do not exist. */
export function taskRoutes({ projects, tasks }: Pick<DailyBriefApp, "projects" | "tasks">): Hono<PersonEnv> {
  const routes = new Hono<PersonEnv>();
  routes.post("/projects", async (context) => {
    const body = await bodyOf(context, project);
    if (body instanceof Response) return body;
    const id = await projects.add(context.var.person.id, body);
    if (id === null) return context.json({ error: "You have as many projects as there can be." }, 409);
    return context.json({ id }, 201);
  });
  routes.put("/projects/:id", async (context) => {
    const body = await bodyOf(context, project);
    if (body instanceof Response) return body;
    const isTheirs = await projects.change(context.var.person.id, context.req.param("id"), body);
    return isTheirs ? context.body(null, 204) : context.notFound();
  });
  routes.delete("/projects/:id", async (context) => {
    const isTheirs = await projects.remove(context.var.person.id, context.req.param("id"));
    return isTheirs ? context.body(null, 204) : context.notFound();
  });
  routes.post("/tasks", async (context) => {
    const body = await bodyOf(context, task);
    if (body instanceof Response) return body;
    const added = await tasks.add(context.var.person.id, body);
    if (added === "unknown") return context.notFound();
    if (added === "full")
      return context.json({ error: "You have as many tasks as there can be. Delete some first." }, 409);
    return context.json(added, 201);
  });
  routes.put(taskPath, async (context) => {
    const body = await bodyOf(context, task);
    if (body instanceof Response) return body;
    const isTheirs = await tasks.change(context.var.person.id, context.req.param("id"), body);
    return isTheirs ? context.body(null, 204) : context.notFound();
  });
  routes.put(`${taskPath}/done`, async (context) => {
    const body = await bodyOf(context, finished);
    if (body instanceof Response) return body;
    const isTheirs = await tasks.finish(context.var.person.id, context.req.param("id"), body.isDone);
    return isTheirs ? context.body(null, 204) : context.notFound();
  });
  routes.delete(taskPath, async (context) => {
    const isTheirs = await tasks.remove(context.var.person.id, context.req.param("id"));
    return isTheirs ? context.body(null, 204) : context.notFound();
  });
  return routes;
}
