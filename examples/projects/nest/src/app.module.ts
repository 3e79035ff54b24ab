import { Module } from "@nestjs/common";
import { JobsModule } from "./jobs/jobs.module.js";
import { ReportsController } from "./reports/reports.controller.js";

@Module({ imports: [JobsModule], controllers: [ReportsController] })
export class AppModule {}
