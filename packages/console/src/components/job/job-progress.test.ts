import { expect, test } from "vitest";
import { jobProgress } from "./job-progress.ts";

const stages = ["read", "form", "ask"];
const progress = (percent: number) => ({ percent, note: null, data: null });

test("a job is as far as the stages behind it, and what the present one reports", () => {
  expect(jobProgress({ status: "processing", stage: "form", progress: progress(50) }, stages)).toEqual({
    percent: 50,
    stage: 2,
    stages: 3,
  });
});

test("a job that waits for its next attempt has nothing of its stage behind it", () => {
  const { percent } = jobProgress({ status: "retrying", stage: "form", progress: progress(90) }, stages);
  expect(Math.round(percent)).toBe(33);
});

test("a completed job is all the way, a job of an unknown stage at the beginning", () => {
  expect(jobProgress({ status: "completed", stage: "ask", progress: null }, stages).percent).toBe(100);
  expect(jobProgress({ status: "pending", stage: "gone", progress: null }, []).percent).toBe(0);
});
