import { Queue, Worker } from "bullmq";
import { bullMq } from "./bullmq.mjs";

const connectionTo = (url) => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), maxRetriesPerRequest: null };
};
await bullMq({ Queue, Worker, backend: undefined, connectionTo, concurrency: 100 });
