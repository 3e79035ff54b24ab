export { type ChildProgram, childProgram } from "./child-program.ts";
export { ManualClock } from "./manual-clock.ts";
export { type RecordedEvents, recordEvents } from "./recorded-events.ts";
export { type TestDatabase, testDatabase } from "./test-database.ts";
