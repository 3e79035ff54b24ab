import {
  BadRequestException,
  Body,
  Controller,
  Get,
  NotFoundException,
  Param,
  ParseUUIDPipe,
  Post,
} from "@nestjs/common";
import { InvalidPayloadError } from "lockstep";
import { JobsService } from "../jobs/jobs.service.js";
import { report } from "../jobs/pipelines.js";

@Controller("reports")
export class ReportsController {
  constructor(private readonly jobs: JobsService) {}

  @Post()
  async add(@Body() body: { month: string }) {
    try {
      const { id } = await this.jobs.engine.add(report, body);
      return { id };
    } catch (error) {
      // What the schema of the pipeline refuses is the mistake of whoever asked.
      if (error instanceof InvalidPayloadError) throw new BadRequestException(error.message);
      throw error;
    }
  }

  @Get(":id")
  async read(@Param("id", ParseUUIDPipe) id: string) {
    const job = await this.jobs.engine.get(id);
    if (job === null) throw new NotFoundException();
    return { status: job.status, progress: job.progress, result: job.result };
  }
}
