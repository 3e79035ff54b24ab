import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline, parseJobFilter } from "lockstep";

const letters = definePipeline<{ to: string }>("letters").stage("send", ({ payload }) => payload.to);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [letters] });
await engine.migrate();

// What a server does with POST /jobs and an Idempotency-Key, and what becomes of the same request when it comes again.
const request = { user: "ada", action: "jobs.add", idempotency: { key: "k-1", requestHash: "sha256 of it" } };
const post = () =>
  engine.recorded(request, async (writes) => {
    const [letter] = await writes.add(letters, [{ payload: { to: "Grace" } }]);
    return { status: 201, letter };
  });
const first = await post();
const again = await post();
console.log(`the same letter: ${again.answer.letter?.id === first.answer.letter?.id && again.isReplayed}`);

// A cancel of what one has seen, and of nothing else.
const id = first.answer.letter?.id ?? "";
const { version } = (await engine.get(id)) ?? {};
const act = { user: "ada", action: "jobs.cancel" };
const { answer } = await engine.recorded(act, (writes) => writes.cancel(id, { ifVersion: version }));
console.log(`the letter: ${answer}, and then: ${await engine.cancel(id, { ifVersion: version })}`);

// A page of a list, newest first, and how many there are in all; `next` is the cursor of the page behind it.
const filter = parseJobFilter("status:cancelled pipeline:letters", new Date());
const reader = engine.reader();
const { jobs, next } = await reader.jobs(filter, { limit: 50, preview: true });
const { value, exact } = await reader.count(filter);
console.log(
  `cancelled: ${value}, exactly: ${exact}; here: ${jobs[0]?.payloadPreview}, more: ${next !== null}`,
);

// Many at once: begun as a recorded act, and done by a runner in small steps.
const { answer: bulk } = await engine.recorded({ user: "ada", action: "bulk.start" }, (writes) =>
  writes.startBulk({ action: "retry", filter }),
);
engine.bulkRunner().start();
while ((await engine.bulk.get(bulk.id))?.status === "running") {
  await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log(`retried: ${(await engine.bulk.get(bulk.id))?.done} of ${bulk.matched.value}`);

for (const { user, action, outcome } of await engine.recordedActions()) {
  console.log(`${user} ${action}: ${outcome}`);
}
await engine.stop();
