import { startPostgres } from "@lockstep/local-postgres";
import * as opentelemetry from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { createEngine, definePipeline } from "lockstep";
import { pino } from "pino";

// The SDK is the application's, and comes first; an exporter for your tracing system stands here otherwise.
const exporter = new InMemorySpanExporter();
const spanProcessors = [new SimpleSpanProcessor(exporter)];
opentelemetry.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));

const greeting = definePipeline("greeting").stage("compose", () => "Hello!");
const engine = createEngine({
  databaseUrl: process.env.DATABASE_URL ?? (await startPostgres()).url,
  pipelines: [greeting],
  logger: pino({ level: "warn" }),
  telemetry: opentelemetry,
});
await engine.migrate();

const { id } = await engine.add(greeting, null);
const [reason] = await engine.explain(id);
console.log(reason?.explanation);
await engine.start();
await engine.result(id);

for (const { name, links } of exporter.getFinishedSpans())
  console.log(`span "${name}", ${links.length} links`);
const steps = await engine.history(greeting, { stage: "compose" });
console.log(`completed in the last hour: ${steps.reduce((sum, step) => sum + step.completed, 0)}`);
const metrics = await engine.metrics(); // what GET /metrics of a server answers
console.log(metrics.split("\n").find((line) => line.includes('move="completed"')));

await engine.stop();
