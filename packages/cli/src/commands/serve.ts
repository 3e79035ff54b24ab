import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Access } from "@lockstep/server";
import { defineCommand } from "../command-line/command.ts";
import { pipelinesFlag } from "../command-line/pipelines-flag.ts";
import { CliError, usageError } from "../errors/cli-error.ts";
import { secretVariables } from "../session/cli-config.ts";
import { exitCode } from "../session/exit-code.ts";
import type { Io } from "../session/io.ts";
import { StopOrders, untilAborted } from "../work/stop-orders.ts";
import { talkingLogger } from "../work/talking-logger.ts";

export const serveCommand = defineCommand({
  name: "serve",
  summary: "Serves the HTTP API and the console, without a worker; other machines need a token.",
  examples: [
    ["lockstep serve", "on http://127.0.0.1:4400, for this machine only"],
    [
      "LOCKSTEP_TOKENS=ops:operator:$TOKEN lockstep serve --host 0.0.0.0 --allow-host jobs.example.com",
      "for others, with a token made by `lockstep token`",
    ],
    ["lockstep serve --tokens-file /run/secrets/lockstep --port 8080", "with tokens from a file"],
  ],
  handlesSignals: true,
  saysEnvironment: true,
  flags: {
    pipelines: {
      ...pipelinesFlag,
      sentence: "Files that export pipelines, so that the server checks payloads too.",
    },
    host: {
      type: "text",
      placeholder: "ADDRESS",
      sentence: "The address to listen on; 127.0.0.1 by default.",
    },
    port: {
      type: "number",
      least: 0,
      most: 65_535,
      sentence: "The port to listen on; 4400 by default, 0 for any free one.",
    },
    "allow-host": {
      type: "text",
      many: true,
      placeholder: "NAME",
      sentence: "A host name that it answers to, besides those of this machine.",
    },
    "mount-path": {
      type: "text",
      placeholder: "PATH",
      sentence: "The path under which a proxy serves it, such as /ops/jobs.",
    },
    environment: {
      type: "text",
      placeholder: "NAME",
      sentence: "The name that the console shows in its top bar, such as production.",
    },
    "tokens-file": {
      type: "text",
      placeholder: "FILE",
      completes: "files",
      sentence: "Tokens, one per line, as name:role:token or name:role:sha256=…",
    },
    "token-env": {
      type: "text",
      placeholder: "NAME",
      sentence: `The environment variable that holds the tokens, separated by commas; ${secretVariables.tokens} by default.`,
    },
  },
  async run({ flags, config, io, output, signal, databaseUrl, schema }) {
    if (output.format === "json")
      throw usageError(
        "A server runs until it is stopped and has no single document to print: give --jsonl, not --json.",
      );
    const access = await accessOf(flags["tokens-file"], flags["token-env"], io);
    const { linksVariable, readLinks } = await import("../serve/read-links.ts");
    const links = readLinks(io.env[linksVariable]);
    const url = await databaseUrl();
    const { createEngine, ConfigError } = await import("lockstep");
    const { createServer, listen } = await import("@lockstep/server");
    const { ensureConsole } = await import("@lockstep/console");
    const { loadPipelines } = await import("../pipelines/load-pipelines.ts");
    const { pipelines, files } = await loadPipelines(flags.pipelines, io.cwd);
    const logger = talkingLogger(output, config.talk);
    const engine = createEngine({
      databaseUrl: url,
      schema: await schema(),
      // The demo is for `dev`: a server registers only pipelines that somebody wrote.
      pipelines: files.length === 0 ? [] : pipelines,
      workerName: "serve",
      tokenSecret: io.env[secretVariables.tokenSecret] ?? null,
      logger,
    });
    const orders = new StopOrders(io);
    signal.addEventListener("abort", () => orders.give("SIGTERM"), { once: true });
    let server: ReturnType<typeof createServer> | null = null;
    try {
      server = createServer({
        engine,
        access,
        hosts: flags["allow-host"],
        mountPath: flags["mount-path"] ?? "",
        environment: flags.environment ?? null,
        links,
        consoleFolder: await ensureConsole(),
        logger,
      });
      const { host = "127.0.0.1", port = 4400 } = flags;
      const listening = await listen(server, { host, port }).catch((error: unknown) => {
        const isOpen = access === "loopback" && error instanceof ConfigError;
        if (!isOpen || (error as { code?: unknown }).code === "EADDRINUSE") throw error;
        throw new CliError({
          exit: "usage",
          code: "serve.open",
          message: `Without tokens, anyone who reaches the server may do everything, so it does not listen on ${host}.`,
          advice: `Make one with \`lockstep token\`, and give it: ${secretVariables.tokens}=ops:operator:TOKEN lockstep serve --host ${host}`,
          cause: error,
        });
      });
      output.note(
        `serving ${listening.url}/api/v1 ${access === "loopback" ? "for this machine only" : "with tokens"}`,
      );
      if (output.format !== "text") {
        await output.line(() => "", { event: "listening", url: listening.url });
      }
      await untilAborted(orders.drain);
      await Promise.race([listening.stop(), untilAborted(orders.abort)]);
      output.note("stopped");
      if (!orders.abort.aborted) return exitCode("done");
      return exitCode(orders.signal === "SIGTERM" ? "terminated" : "interrupted");
    } finally {
      // Even if it could not listen: what it has started would keep the process alive.
      await Promise.race([server?.stop(), untilAborted(orders.abort)]);
      await engine.stop();
      orders.stopListening();
    }
  },
});

async function accessOf(file: string | undefined, variable: string | undefined, io: Io): Promise<Access> {
  const { readTokens } = await import("../serve/read-tokens.ts");
  if (file !== undefined) {
    const text = await readFile(resolve(io.cwd, file), "utf8").catch((cause) => {
      throw new CliError({
        exit: "usage",
        code: "tokens.unreadable",
        message: `--tokens-file ${file} cannot be read (${cause.code}).`,
        advice: "Give a file with one token per line, as name:role:token.",
        cause,
      });
    });
    return { tokens: readTokens(text, file) };
  }
  const name = variable ?? secretVariables.tokens;
  const text = io.env[name];
  if (text !== undefined && text !== "") return { tokens: readTokens(text, name) };
  if (variable !== undefined) throw usageError(`The variable ${variable} of --token-env is not set.`);
  return "loopback";
}
