import { definePipeline } from "lockstep";
import type { BriefParts } from "./brief-parts.ts";
import { jobPayloads } from "./job-payloads.ts";
import { deliverStage, writeStage } from "./stages/brief-stages.ts";
import { confirmedPhone, confirmPhoneStage, endPhoneStage } from "./stages/confirm-phone-stage.ts";
import { dueStage } from "./stages/due-stage.ts";
import { emailStage } from "./stages/email-stage.ts";
import { onboardingStage } from "./stages/onboarding-stage.ts";
import { phasesStage } from "./stages/phases-stage.ts";
import { smsStage } from "./stages/sms-stage.ts";

// 2, 4, 8 minutes, and on to an hour each: a provider may be away for three hours before a job gives up.
const patient = { maxAttempts: 8, retry: { kind: "exponential", baseMs: 120_000, jitter: 0 } } as const;
const brisk = { ...patient, maxAttempts: 4 };

// As long as the code itself.
const codeLastsMs = 600_000;

/** The five types of jobs, the morning's tick that starts the first of them, and the code that confirms a number. */
export function dailyBriefPipelines(parts: BriefParts) {
  // Where somebody writes, it may cost something.
  const { budgets, estimate: spends } = parts.writer;
  return {
    dailyBriefDue: definePipeline("daily_brief_due", { payload: jobPayloads.daily_brief_due }).stage(
      "add",
      patient,
      dueStage(parts),
    ),
    generateDailyBrief: definePipeline("generate_daily_brief", {
      payload: jobPayloads.generate_daily_brief,
      budgets,
    })
      .stage("write", { ...patient, timeoutMs: 120_000, spends }, writeStage(parts))
      .stage("deliver", patient, deliverStage(parts)),
    generateBriefEmail: definePipeline("generate_brief_email", {
      payload: jobPayloads.generate_brief_email,
    }).stage("send", { ...patient, processors: 5 }, emailStage(parts)),
    sendSms: definePipeline("send_sms", { payload: jobPayloads.send_sms }).stage(
      "send",
      { ...patient, processors: 5 },
      smsStage(parts),
    ),
    confirmPhone: definePipeline("confirm_phone", { payload: jobPayloads.confirm_phone })
      .stage("send", { ...brisk, processors: 5 }, confirmPhoneStage(parts))
      .wait("code", { signal: confirmedPhone, timeoutMs: codeLastsMs, onTimeout: "continue" })
      .stage("end", brisk, endPhoneStage(parts)),
    generatePhases: definePipeline("generate_phases", {
      payload: jobPayloads.generate_phases,
      budgets,
    }).stage("split", { ...brisk, spends }, phasesStage(parts)),
    onboardingAnalysis: definePipeline("onboarding_analysis", {
      payload: jobPayloads.onboarding_analysis,
      budgets,
    }).stage("read", { ...brisk, spends }, onboardingStage(parts)),
  };
}
