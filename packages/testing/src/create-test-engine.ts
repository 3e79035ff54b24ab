import { checkedSchema } from "@lockstep/database";
import { createEngine } from "lockstep";
import { freshDatabase } from "./fresh-database.ts";
import { TestClock } from "./test-clock.ts";
import { TestEngine } from "./test-engine.ts";
import { completeOptions, type TestEngineOptions } from "./test-engine-options.ts";
import { testServer } from "./test-server.ts";

/** Makes an engine for one test, or for some, on a database of its own. `stop()` it at the end. */
export async function createTestEngine(options: TestEngineOptions): Promise<TestEngine> {
  const {
    pipelines,
    databaseUrl: serverUrl,
    startAt,
    handlerLimitMs,
    attemptLimit,
    settings,
  } = completeOptions(options);
  const schema = checkedSchema(settings.schema);
  const database = await freshDatabase(await testServer(serverUrl, schema), schema);
  try {
    await database.setTime(startAt);
    const clock = new TestClock(startAt, (now) => database.setTime(now));
    const engine = createEngine({ logger: null, ...settings, databaseUrl: database.url, pipelines, clock });
    const worker = await engine.stepWorker({ handlerLimitMs }).catch(async (error: unknown) => {
      await engine.stop();
      throw error;
    });
    const { url: databaseUrl } = database;
    return new TestEngine({
      ...{ engine, worker, clock, attemptLimit, databaseUrl },
      dropDatabase: () => database.drop(),
    });
  } catch (error) {
    await database.drop();
    throw error;
  }
}
