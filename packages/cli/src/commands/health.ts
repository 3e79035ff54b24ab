import { CliError } from "../cli-error.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { durationText } from "../duration-text.ts";
import { exitCode } from "../exit-code.ts";

/** One thing that must be well. */
interface Check {
  readonly check: string;
  readonly isOk: boolean;
  readonly finding: string;
  readonly advice: string | null;
}

export const healthCommand = defineCommand({
  name: "health",
  summary: "Says whether the database, a worker or a server is well; for probes of containers, without curl.",
  examples: [
    ["lockstep health", "the database answers and has the right schema"],
    ["lockstep health --worker mail-1", "and a worker of this name, or on this host, is alive"],
    ["lockstep health --url http://127.0.0.1:4400", "a server says that it is well"],
  ],
  flags: {
    worker: { type: "text", placeholder: "NAME", sentence: "A live worker of this name, or on this host." },
    url: {
      type: "text",
      placeholder: "URL",
      sentence: "Ask the /health of a server there, not the database.",
    },
  },
  async run(context) {
    const { flags, output } = context;
    const checks = flags.url === undefined ? await checksOf(context) : await serverChecks(flags.url, context);
    const { green, red } = output.paint;
    await output.list(checks, [
      {
        title: "STATE",
        cell: ({ isOk }) => (output.isForPeople ? (isOk ? "✔ ok" : "✖ bad") : isOk ? "ok" : "bad"),
        paint: (text, { isOk }) => (isOk ? green(text) : red(text)),
      },
      { title: "CHECK", cell: ({ check }) => check },
      { title: "FINDING", cell: ({ finding }) => finding, isElastic: true },
      { title: "ADVICE", cell: ({ advice }) => advice ?? "", isElastic: true },
    ]);
    return exitCode(checks.every(({ isOk }) => isOk) ? "done" : "checkFailed");
  },
});

async function checksOf({ engine, reader, io, flags }: CommandContext): Promise<Check[]> {
  const beganMs = io.clock.monotonicMs();
  const { version, codeVersion, migrations, functions } = await (await engine()).planMigration();
  const tookMs = io.clock.monotonicMs() - beganMs;
  const isCurrent = version === codeVersion && migrations.length === 0 && !functions;
  const checks: Check[] = [
    { check: "database", isOk: true, finding: `answers in ${durationText(tookMs)}`, advice: null },
    {
      check: "schema",
      isOk: isCurrent,
      finding: `version ${version} of ${codeVersion}`,
      advice: isCurrent ? null : version > codeVersion ? "Update @lockstep/cli." : "Run `lockstep migrate`.",
    },
  ];
  if (flags.worker === undefined || !isCurrent) return checks;
  const live = (await (await reader()).workers()).filter(
    ({ isAlive, name, host }) => isAlive && (name === flags.worker || host === flags.worker),
  );
  return [
    ...checks,
    {
      check: "worker",
      isOk: live.length > 0,
      finding: live.length > 0 ? `${flags.worker} is alive` : `no live worker ${flags.worker}`,
      advice: live.length > 0 ? null : "Run `lockstep workers` for those there are.",
    },
  ];
}

async function serverChecks(url: string, { signal }: Pick<CommandContext, "signal">): Promise<Check[]> {
  const address = healthAddress(url);
  const response = await fetch(address, { signal }).catch((cause: unknown) => {
    throw new CliError({
      exit: "unreachable",
      code: "server.unreachable",
      message: `No server answers at ${address}.`,
      advice: "Start it with `lockstep serve` or `lockstep dev`, or correct the URL.",
      cause,
    });
  });
  const report: unknown = await response.json().catch(() => null);
  return [
    {
      check: "server",
      isOk: response.ok,
      finding: response.ok ? "is well" : `answers ${response.status}: ${detailOf(report)}`,
      advice: response.ok ? null : `Look at ${address}.`,
    },
  ];
}

function healthAddress(url: string): string {
  try {
    const address = new URL(url);
    if (address.pathname.endsWith("/health")) return address.href;
    return new URL("health", address.href.endsWith("/") ? address.href : `${address.href}/`).href;
  } catch (cause) {
    throw new CliError({
      exit: "usage",
      code: "usage",
      message: `--url must be a URL such as http://127.0.0.1:4400, not "${url}".`,
      cause,
    });
  }
}

function detailOf(report: unknown): string {
  const { detail, title, status } = (report ?? {}) as Record<string, unknown>;
  return String(detail ?? title ?? status ?? "no word");
}
