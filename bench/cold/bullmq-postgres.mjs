import { createPostgresBackend, Queue, Worker } from "bullmq";
import { bullMq } from "./bullmq.mjs";

await bullMq({ Queue, Worker, backend: createPostgresBackend, connectionTo: (url) => url, concurrency: 16 });
