import { type BullMq, openBullMq } from "./bullmq.ts";
import type { ContenderModule } from "./contender.ts";

export const contender: ContenderModule = {
  history: null,
  install: async () => {},
  async open(options) {
    const bullMq = (await options.load("bullmq")) as BullMq;
    const { hostname, port } = new URL(options.url);
    // What its workers ask for: a blocked command is no failed one.
    const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null };
    return openBullMq(bullMq, options, { connection, backend: undefined, concurrency: 100 });
  },
};
