import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { startWorker } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { relay } = storyPipelines();
const tokenSecret = "a secret that two processes share";

test("an owner follows a job through another process, goes away, and comes back to the rest of it", async () => {
  const web = storyEngine(db, { tokenSecret });
  const after = await web.eventCursor();
  const token = web.ownerToken("ada", { expiresInMs: 60_000 });
  await web.add(relay, {}, { owner: "bob" });
  const { id } = await web.add(relay, {}, { owner: "ada" });
  await startWorker(db, { pipelines: ["relay"] });

  const story: string[] = [];
  let place = after;
  // Each round is a connection of a browser that breaks after two events; every other one comes to another server.
  for (let round = 0; story.at(-1) !== "job.completed deliver"; round += 1) {
    const server = round % 2 === 0 ? web : storyEngine(db, { tokenSecret });
    let seen = 0;
    for await (const event of server.readEvents({ token, after: place })) {
      if (event.kind === "events.reset") throw new Error("Nothing was deleted.");
      expect(event).toMatchObject({ jobId: id, owner: "ada", pipeline: "relay" });
      story.push(`${event.kind} ${event.stage}`);
      place = event.cursor;
      seen += 1;
      if (seen === 2 || event.kind === "job.completed") break;
    }
  }
  expect(story).toEqual([
    "job.added collect",
    "job.claimed collect",
    "job.advanced collect",
    "job.claimed shape",
    "job.advanced shape",
    "job.claimed deliver",
    "job.completed deliver",
  ]);
});
