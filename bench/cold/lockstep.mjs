import { createEngine, definePipeline } from "lockstep";
import { firstJob, run, told } from "./told.mjs";

const { handle, reached } = firstJob();
const bench = definePipeline("bench").stage("only", { processors: 100 }, handle);

await run({
  async add(databaseUrl, payload) {
    const engine = createEngine({ databaseUrl, pipelines: [bench] });
    await engine.add(bench, payload);
    told("added");
    await engine.stop();
  },
  async work(databaseUrl) {
    const engine = createEngine({ databaseUrl, pipelines: [bench] });
    await engine.start();
    await reached;
    await engine.stop();
  },
});
