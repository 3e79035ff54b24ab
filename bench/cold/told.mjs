// What every program here shares. Plain JavaScript: a process that has to compile TypeScript first is no cold start of a queue.
import { writeSync } from "node:fs";

const [, , task, url] = process.argv;

/** Tells the measurement that this has happened now, on the clock of the machine. */
export function told(what) {
  writeSync(1, `${what} ${process.hrtime.bigint()}\n`);
}

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeSync(1, `cpu ${user + system}\n`);
});

/** Adds one job, or works until the first job has reached its handler; then the process ends by itself. */
export async function run({ add, work }) {
  if (task === "work") return await work(url);
  await add(url, { n: 1, sentAtMs: 0, filler: "x".repeat(60) });
}

/** A handler for one job: `reached` resolves when it is called. */
export function firstJob() {
  let reach;
  const reached = new Promise((resolve) => {
    reach = resolve;
  });
  const handle = () => {
    told("handled");
    reach();
  };
  return { handle, reached };
}
