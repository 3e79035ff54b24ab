export { HandlerStuckError } from "lockstep";
export { createTestEngine } from "./create-test-engine.ts";
export { ManualClock } from "./manual-clock.ts";
export type { TestClock } from "./test-clock.ts";
export type { FinishedJob, TestEngine } from "./test-engine.ts";
export { NeverEndsError } from "./test-engine-error.ts";
export type { TestEngineOptions } from "./test-engine-options.ts";
