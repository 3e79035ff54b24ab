import { expect, test } from "vitest";
import { readEngineConfig } from "../../engine-config.ts";
import { heartbeatSettings } from "./heartbeat-settings.ts";

test("by default a main thread may stand still for ten seconds more, and a doubt is asked about for 25", () => {
  const config = readEngineConfig({ databaseUrl: "postgres://me@localhost/app" });
  expect(heartbeatSettings(config)).toMatchObject({
    leaseMs: 30_000,
    heartbeatIntervalMs: 10_000,
    frozenAfterMs: 10_000,
    doubtMs: 25_000,
  });
});
