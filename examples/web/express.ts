import { createServer as createHttpServer } from "node:http";
import { startPostgres } from "@lockstep/local-postgres";
import { createServer, nodeHandler } from "@lockstep/server";
import express from "express";
import { createEngine, definePipeline } from "lockstep";
import { z } from "zod";

const reports = definePipeline("reports", { payload: z.object({ month: z.string() }) }).stage(
  "write",
  ({ payload }) => ({ title: `Report of ${payload.month}` }),
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [reports] });
await engine.migrate();
await engine.start(); // or in a process of its own

const token = "read-from-your-secrets-0123456789"; // `lockstep token` makes one
const operations = createServer({
  engine,
  mountPath: "/ops/jobs",
  access: { tokens: [{ user: "operator", role: "operator", token }] },
});

const app = express();
app.use("/ops/jobs", nodeHandler(operations)); // before express.json(): it reads its bodies itself
app.use(express.json());
app.post("/reports", async (request, response) => {
  const { id, created } = await engine.add(reports, request.body, {
    dedupKey: `report ${request.body.month}`,
  });
  response.status(created ? 202 : 200).json({ id });
});
app.get("/reports/:id", async (request, response) => {
  const job = await engine.get(request.params.id);
  if (job === null) response.sendStatus(404);
  else response.json({ status: job.status, progress: job.progress, result: job.result });
});

const http = createHttpServer(app).listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log("listening");
});
process.once("SIGTERM", async () => {
  await operations.stop();
  http.close();
  await engine.stop();
});
