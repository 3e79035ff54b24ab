import { definePipeline } from "lockstep";
import { z } from "zod";

export const report = definePipeline("report", { payload: z.object({ month: z.string().min(1).max(20) }) })
  .stage("gather", async ({ payload, progress }) => {
    progress(50, `reading ${payload.month}`);
    return { rows: 31 };
  })
  .stage("write", ({ payload, output }) => ({
    title: `Report of ${payload.month}`,
    pages: Math.ceil(output.rows / 10),
  }));
