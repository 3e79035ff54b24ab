// One process of a release, which works, adds or serves until it is told to stop. It is copied beside that release's packages.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer, listen } from "@lockstep/server";
import { createEngine, definePipeline } from "lockstep";

const [role] = process.argv.slice(2);
const pipeline = definePipeline("orders")
  .stage("read", ({ payload }) => payload)
  .stage("send", ({ output }) => output);
const anEngine = () =>
  // biome-ignore lint/style/noProcessEnv: a program's own settings come from the environment.
  createEngine({ databaseUrl: process.env.DATABASE_URL ?? "", pipelines: [pipeline], logger: null });
const stopping = once(process.stdin.resume(), "end").then(() => "stop");
const tell = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
/** @type {string[]} */
const added = [];
/** @type {string[]} */
const failures = [];

/**
 * Adds a job now and then, until it is told to stop; whatever goes wrong is told in the end.
 * @param {(number: number) => Promise<string>} add
 */
async function addUntilStopped(add) {
  for (let number = 0; (await Promise.race([stopping, sleep(10)])) !== "stop"; number += 1) {
    try {
      added.push(await add(number));
    } catch (error) {
      failures.push(String(error));
    }
    if (number === 0) tell("ready");
  }
}

/** @type {Record<string, () => Promise<void>>} */
const roles = {
  async work() {
    const engine = anEngine();
    await engine.start();
    tell("ready");
    await stopping;
    await engine.stop();
  },

  async add() {
    let engine = anEngine();
    await addUntilStopped(async (number) => {
      // As if it had just started: only then does a process ask for the version of the schema.
      if (number % 20 === 19) {
        await engine.stop();
        engine = anEngine();
      }
      return (await engine.add(pipeline, { number })).id;
    });
    await engine.stop();
  },

  async serve() {
    const engine = anEngine();
    const server = await listen(createServer({ engine, access: "loopback", logger: null }), { port: 0 });
    await addUntilStopped(async (number) => {
      const response = await fetch(`${server.url}/api/v1/jobs`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ pipeline: "orders", payload: { number } }),
      });
      const answer = /** @type {{ id: string }} */ (await response.json());
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer.id;
    });
    await server.stop();
    await engine.stop();
  },
};

await roles[role ?? ""]?.();
tell(JSON.stringify({ added, failures }));
