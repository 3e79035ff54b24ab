import { randomBytes } from "node:crypto";
import { defineCommand } from "../command-line/command.ts";
import { pipelinesFlag } from "../command-line/pipelines-flag.ts";
import { CliError, usageError } from "../errors/cli-error.ts";
import { isRunning, readDevRecord } from "../session/find-database.ts";
import { StopOrders } from "../work/stop-orders.ts";

export const devCommand = defineCommand({
  name: "dev",
  summary: "Starts everything with nothing but Node: PostgreSQL, a worker, the HTTP API and the console.",
  examples: [
    ["lockstep dev", "PostgreSQL with its data in .lockstep/, and the pipelines of this folder, or a demo"],
    ["DATABASE_URL=postgres://… lockstep dev", "the same on your own database"],
    ["lockstep dev --ephemeral --jsonl", "with a temporary database; one JSON event per line, for tests"],
  ],
  handlesSignals: true,
  saysEnvironment: true,
  flags: {
    pipelines: pipelinesFlag,
    port: {
      type: "number",
      least: 0,
      most: 65_535,
      sentence: "The port of the API on 127.0.0.1; by default 4400, or the next free one.",
    },
    ephemeral: { type: "switch", sentence: "Use a temporary database and delete it at the end." },
    demo: { type: "switch", sentence: "Also run the demo pipeline." },
  },
  async run({ flags, config, io, output, signal, schema }) {
    if (output.format === "json")
      throw usageError(
        "dev runs until it is stopped and has no single document to print: give --jsonl, not --json.",
      );
    const record = await readDevRecord(io.cwd);
    if (record !== null && isRunning(record.pid)) {
      throw new CliError({
        exit: "failed",
        code: "dev.running",
        message: `lockstep dev is already running in this folder: ${record.url} (process ${record.pid}).`,
        advice: "Use that one, or stop it there with Ctrl-C.",
      });
    }
    const orders = new StopOrders(io);
    // At --timeout, or when nobody reads its events any more.
    signal.addEventListener("abort", () => orders.give("SIGTERM"), { once: true });
    try {
      // Here, so that `--help` loads none of it.
      const { runDev } = await import("../dev/run-dev.ts");
      const { linksVariable, readLinks } = await import("../serve/read-links.ts");
      return await runDev({
        io,
        output,
        orders,
        talk: config.talk,
        asked: flags.pipelines,
        hasDemo: flags.demo,
        databaseUrl: config.databaseUrl,
        schema: await schema(),
        isEphemeral: flags.ephemeral,
        port: flags.port ?? null,
        links: readLinks(io.env[linksVariable]),
        tokenSecret: randomBytes(32).toString("base64url"),
        hasKeys: config.mayAsk,
        hasColor: config.hasColor.stderr,
      });
    } finally {
      orders.stopListening();
    }
  },
});
