import { type CommandContext, defineCommand } from "../command.ts";
import { durationText } from "../duration-text.ts";
import { exitCode } from "../exit-code.ts";
import type { HealthCheck } from "../health-check.ts";
import { serverHealth } from "../server-health.ts";

export const healthCommand = defineCommand({
  name: "health",
  summary: "Says whether the database, a worker or a server is well; for probes of containers, without curl.",
  examples: [
    ["lockstep health", "the database answers and has the right schema"],
    ["lockstep health --worker mail-1", "and a worker of this name, or on this host, is alive"],
    [
      "lockstep health --url http://127.0.0.1:4400",
      "a server says that it is ready, and what it has looked at",
    ],
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
    const checks =
      flags.url === undefined ? await checksOf(context) : await serverHealth(flags.url, context.signal);
    const { green, red, yellow } = output.paint;
    await output.list(checks, [
      {
        title: "STATE",
        cell: (check) => (output.isForPeople ? `${marks[stateOf(check)]} ${stateOf(check)}` : stateOf(check)),
        paint: (text, check) => ({ ok: green, warn: yellow, bad: red })[stateOf(check)](text),
      },
      { title: "CHECK", cell: ({ check }) => check },
      { title: "FINDING", cell: ({ finding }) => finding, isElastic: true },
      { title: "ADVICE", cell: ({ advice }) => advice ?? "", isElastic: true },
    ]);
    // A server that can do its work is not to be restarted for what it warns of.
    return exitCode(checks.some((check) => stateOf(check) === "bad") ? "checkFailed" : "done");
  },
});

const marks = { ok: "✔", warn: "!", bad: "✖" } as const;

function stateOf({ isOk, isCritical }: HealthCheck): keyof typeof marks {
  return isOk ? "ok" : isCritical ? "bad" : "warn";
}

async function checksOf({ engine, reader, io, flags }: CommandContext): Promise<HealthCheck[]> {
  const beganMs = io.clock.monotonicMs();
  const { version, codeVersion, migrations, functions } = await (await engine()).planMigration();
  const tookMs = io.clock.monotonicMs() - beganMs;
  const isCurrent = version === codeVersion && migrations.length === 0 && !functions;
  const checks: HealthCheck[] = [
    {
      check: "database",
      isOk: true,
      isCritical: true,
      finding: `answers in ${durationText(tookMs)}`,
      advice: null,
    },
    {
      check: "schema",
      isOk: isCurrent,
      isCritical: true,
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
      isCritical: true,
      finding: live.length > 0 ? `${flags.worker} is alive` : `no live worker ${flags.worker}`,
      advice: live.length > 0 ? null : "Run `lockstep workers` for those there are.",
    },
  ];
}
