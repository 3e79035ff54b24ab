import "reflect-metadata";
import { nodeHandler } from "@lockstep/server";
import { NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module.js";
import { JobsService } from "./jobs/jobs.service.js";

const app = await NestFactory.create(AppModule);
app.enableShutdownHooks(); // without it Nest calls no onApplicationShutdown when a signal comes
app.use("/ops/jobs", nodeHandler(app.get(JobsService).server));
await app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
