import { childProgram } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { stderrLogger } from "./stderr-logger.ts";

test("warnings and errors are a line each on the standard error stream, debug and info are silent", async () => {
  const url = new URL("./stderr-logger.ts", import.meta.url).href;
  const child = childProgram(`
    import { stderrLogger } from ${JSON.stringify(url)};
    stderrLogger.debug({ event: "job.added" }, "not this");
    stderrLogger.info({ event: "engine.started" }, "nor this");
    stderrLogger.warn({ event: "job.retrying" }, "Job a failed");
    stderrLogger.error({ event: "database.down" }, "PostgreSQL does not answer");
  `);
  const { code, errors } = await child.ended;
  expect(code).toBe(0);
  expect(errors.trim().split("\n")).toEqual([
    "lockstep warn: Job a failed (job.retrying)",
    "lockstep error: PostgreSQL does not answer (database.down)",
  ]);
});

test("it asks for no debug lines, so that nobody makes them", () => {
  const wanted = (["debug", "info", "warn", "error"] as const).filter((level) =>
    stderrLogger.isLevelEnabled?.(level),
  );
  expect(wanted).toEqual(["warn", "error"]);
});
