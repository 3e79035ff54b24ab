import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { nextProgram } from "../src/start/next-program.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));

interface Started {
  readonly url: string;
  /** Resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export const stageWorkMs = 1_500;

/** A web server of the production build, as `npm start` runs it, on a database that is there. */
export function startServer(databaseUrl: string, port: number, env: Record<string, string> = {}) {
  const args = [...nextProgram("start"), "--port", String(port)];
  return start(args, databaseUrl, `http://127.0.0.1:${port}`, /Ready in/, env);
}

/** A process that only works. */
export function startWorker(databaseUrl: string) {
  const args = ["--conditions=@lockstep/source", "--import", "tsx", "src/start/main.ts", "work"];
  return start(args, databaseUrl, "", /Working on entries/, {});
}

async function start(
  args: readonly string[],
  databaseUrl: string,
  url: string,
  ready: RegExp,
  env: Record<string, string>,
): Promise<Started> {
  const child: ChildProcess = spawn(process.execPath, [...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      // biome-ignore lint/style/noProcessEnv: the child needs PATH; nothing else of ours shall reach it.
      PATH: process.env.PATH ?? "",
      DATABASE_URL: databaseUrl,
      ENTRIES_TOKEN_SECRET: "a secret of the stories, long enough to be one",
      ENTRIES_STAGE_WORK_MS: String(stageWorkMs),
      NEXT_MANUAL_SIG_HANDLE: "true",
      NEXT_TELEMETRY_DISABLED: "1",
      ...env,
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString("utf8");
      if (ready.test(said)) resolve();
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("exit", () => reject(new Error(`It ended before it was ready:\n${said}`)));
  });
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return { url, end };
}
