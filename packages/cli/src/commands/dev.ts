import { randomBytes } from "node:crypto";
import { CliError, usageError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { isRunning, readDevRecord } from "../find-database.ts";
import { StopOrders } from "../work/stop-orders.ts";

export const devCommand = defineCommand({
  name: "dev",
  summary: "Starts everything with nothing but Node: PostgreSQL, a worker, the HTTP API and the console.",
  examples: [
    ["lockstep dev", "PostgreSQL with its data in .lockstep/, and the pipelines of this folder, or a demo"],
    ["DATABASE_URL=postgres://… lockstep dev", "the same on a database of yours"],
    [
      "lockstep dev --ephemeral --jsonl",
      "with a database that is thrown away; one JSON event a line, for tests",
    ],
  ],
  handlesSignals: true,
  flags: {
    pipelines: {
      type: "text",
      many: true,
      placeholder: "FILE",
      completes: "files",
      sentence: "A file that exports pipelines, or a pattern; by default the usual places are looked at.",
    },
    port: {
      type: "number",
      least: 0,
      most: 65_535,
      sentence: "Where the API listens, on 127.0.0.1; by default 4400, or the next free one.",
    },
    ephemeral: { type: "switch", sentence: "Throw the database away at the end." },
    demo: { type: "switch", sentence: "Run the demo pipeline too, beside those that were found." },
  },
  async run({ flags, config, io, output, signal }) {
    if (output.format === "json") throw usageError("dev has no end to print: give --jsonl, not --json.");
    const record = await readDevRecord(io.cwd);
    if (record !== null && isRunning(record.pid)) {
      throw new CliError({
        exit: "failed",
        code: "dev.running",
        message: `lockstep dev runs in this folder already: ${record.url} (process ${record.pid}).`,
        advice: "Use that one, or end it with Ctrl-C there.",
      });
    }
    const orders = new StopOrders(io);
    // At --timeout, or when nobody reads its events any more.
    signal.addEventListener("abort", () => orders.give("SIGTERM"), { once: true });
    try {
      // Here, so that `--help` loads none of it.
      const { loadPipelines } = await import("../pipelines/load-pipelines.ts");
      const { runDev } = await import("../dev/run-dev.ts");
      const loaded = await loadPipelines(flags.pipelines, io.cwd);
      return await runDev({
        io,
        output,
        orders,
        talk: config.talk,
        loaded,
        hasDemo: flags.demo,
        databaseUrl: config.databaseUrl,
        isEphemeral: flags.ephemeral,
        port: flags.port ?? null,
        tokenSecret: randomBytes(32).toString("base64url"),
      });
    } finally {
      orders.stopListening();
    }
  },
});
