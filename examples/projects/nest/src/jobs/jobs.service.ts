import { createServer } from "@lockstep/server";
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from "@nestjs/common";
import { createEngine } from "lockstep";
import { report } from "./pipelines.js";

/** The engine of this application, which adds jobs and runs them, and the HTTP API on top of it. */
@Injectable()
export class JobsService implements OnModuleInit, OnApplicationShutdown {
  readonly engine = createEngine({ databaseUrl: process.env.DATABASE_URL ?? "", pipelines: [report] });
  readonly server = createServer({
    engine: this.engine,
    mountPath: "/ops/jobs",
    access: { tokens: [{ user: "operator", role: "operator", token: process.env.OPERATOR_TOKEN ?? "" }] },
  });

  async onModuleInit(): Promise<void> {
    await this.engine.migrate();
    await this.engine.start(); // leave this out where other processes run the jobs
  }

  /** After the last request. Jobs that are running are finished first. */
  async onApplicationShutdown(): Promise<void> {
    await this.server.stop();
    await this.engine.stop();
  }
}
