import type { StageCount } from "lockstep";
import { expect, test } from "vitest";
import { queueStatsText } from "./queue-stats-text.ts";

const count = (pipeline: string, stage: string, status: StageCount["status"], jobs: number): StageCount => ({
  ...{ pipeline, stage, status, jobs, paused: false },
});

test("the queue is told by type and status, stages together, in the layout of the document", () => {
  const counts = [
    count("generate_daily_brief", "write", "pending", 10),
    count("generate_daily_brief", "write", "processing", 3),
    count("generate_daily_brief", "write", "failed", 0),
    count("generate_daily_brief", "deliver", "pending", 2),
    count("generate_daily_brief", "deliver", "completed", 1_204),
    count("send_sms", "send", "pending", 0),
    count("send_sms", "send", "retrying", 1),
    count("send_sms", "send", "completed", 3_456),
    count("somebody_elses", "stage", "pending", 7),
  ];
  expect(queueStatsText(counts, ["generate_daily_brief", "send_sms"])).toBe(`📊 Queue Statistics:
   generate_daily_brief - pending: 12
   generate_daily_brief - processing: 3
   generate_daily_brief - completed: 1,204
   send_sms - pending: 0
   send_sms - retrying: 1
   send_sms - completed: 3,456`);
});
