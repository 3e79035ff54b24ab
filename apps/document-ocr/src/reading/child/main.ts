import { inspect } from "node:util";
import type { ReadingMessage, ReadingTask } from "../child-protocol.ts";
import { Refusal } from "./refusal.ts";

// The worker is gone or has given up: nobody waits for the rest.
process.on("disconnect", () => process.exit(1));

process.once("message", async (task: ReadingTask) => {
  const ending = await run(task).catch(endingOf);
  process.send?.(ending, undefined, undefined, () => process.exit(0));
});

async function run(task: ReadingTask): Promise<ReadingMessage> {
  switch (task.task) {
    case "inspect":
      await (await import("./inspect-task.ts")).inspectTask(task, say);
      break;
    case "read":
      await (await import("./read-task.ts")).readTask(task, say);
      break;
    case "draw":
      await (await import("./draw-task.ts")).drawTask(task);
      break;
    case "unlock":
      await (await import("./unlock-task.ts")).unlockTask(task);
      break;
    case "build":
      await (await import("../../results/child/build-task.ts")).buildTask(task);
      break;
  }
  return { kind: "done" };
}

function say(message: ReadingMessage): void {
  process.send?.(message);
}

function endingOf(error: unknown): ReadingMessage {
  if (error instanceof Refusal) return { kind: "refused", code: error.code, message: error.message };
  return {
    kind: "failed",
    message: error instanceof Error ? (error.stack ?? error.message) : inspect(error),
  };
}
