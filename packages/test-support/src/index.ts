export { ManualClock } from "@lockstep/testing";
export { type ChildProgram, childProgram } from "./child-program.ts";
export { encodedJob } from "./encoded-job.ts";
export { type ClaimedJob, JobFactory } from "./job-factory.ts";
export { type RecordedEvents, recordEvents } from "./recorded-events.ts";
export { noon, secondsAfter } from "./seconds-after.ts";
export { type GivenEnd, settledBy } from "./settled-by.ts";
export { type TestDatabase, testDatabase } from "./test-database.ts";
export { untilBlocked } from "./until-blocked.ts";
