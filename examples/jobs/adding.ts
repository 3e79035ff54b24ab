import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const pages = definePipeline<{ page: string; text: string }>("pages").stage("index", ({ payload }) => {
  console.log(`indexed ${payload.page}: ${payload.text}`);
});

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [pages] });
await engine.migrate();

// Somebody types: the page is indexed once, half a second after the last change, and at the latest after ten seconds.
const debounced = { dedupKey: "home", dedup: { debounceMs: 500, atMostMs: 10_000 } };
const typed = await engine.add(pages, { page: "home", text: "Hel" }, debounced);
await engine.add(pages, { page: "home", text: "Hello" }, debounced);

// A webhook that is delivered twice: for a day its key leads to the same job, finished or not.
const delivery = { dedupKey: "delivery 17", dedup: { forMs: 86_400_000 } };
const first = await engine.add(pages, { page: "news", text: "Good news" }, delivery);
const again = await engine.add(pages, { page: "news", text: "Good news" }, delivery);
console.log(`delivered twice: created ${first.created}, then ${again.created}`);

// Not worth doing after the minute is over, urgent until then.
const urgent = await engine.add(
  pages,
  { page: "ticker", text: "12:00" },
  { priority: 1, startBy: new Date(Date.now() + 60_000) },
);

await engine.start();
for (const { id } of [urgent, first, typed]) await engine.result(id);
await engine.stop();
