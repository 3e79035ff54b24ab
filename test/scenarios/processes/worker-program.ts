import { createEngine, type EngineOptions } from "lockstep";
import {
  finishErrand,
  releasedPipelines,
  type StoryPipelineName,
  storyPipelines,
} from "../stories/story-pipelines.ts";

/** What the program is told on its command line, as JSON. */
export interface WorkerProgramOptions {
  readonly databaseUrl: string;
  readonly pipelines: readonly StoryPipelineName[];
  readonly processors?: number | undefined;
  readonly settings: Omit<EngineOptions, "databaseUrl" | "pipelines">;
}

/** What the test tells it: which waiting job may end. */
export interface WorkerOrder {
  readonly finish: string;
}

const options: WorkerProgramOptions = JSON.parse(process.argv[2] ?? "");
const { processors } = options;
const pipelines = { ...storyPipelines({ processors }), ...releasedPipelines({ processors }) };
const engine = createEngine({
  ...options.settings,
  databaseUrl: options.databaseUrl,
  pipelines: options.pipelines.map((name) => pipelines[name]),
});
// A test that is gone will not end this process.
const exit = () => process.exit(1);

// Two signals come here twice.
const disconnect = () => {
  if (process.connected) process.disconnect();
};

engine.onAny((name, event) => {
  if (process.connected) process.send?.({ name, event });
});
process.on("message", ({ finish }: WorkerOrder) => finishErrand(finish));
process.on("disconnect", exit);
process.on("SIGTERM", () => {
  void engine.stop().then(() => {
    process.off("disconnect", exit);
    // Nothing else holds the process then: it ends by itself, or the engine has left something open.
    // Sent in order, this is written after everything that was said before it; a plain disconnect would drop that.
    if (process.connected) process.send?.({ name: "end", event: {} }, disconnect);
  });
});
await engine.start();
