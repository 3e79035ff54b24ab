import { migrateCommand } from "@lockstep/database";
import { type CommandContext, defineCommand } from "../command-line/command.ts";
import type { HealthCheck } from "../health/health-check.ts";
import { serverHealth } from "../health/server-health.ts";
import { isMigrated } from "../migrate/is-migrated.ts";
import { durationText } from "../output/duration-text.ts";
import { exitCode } from "../session/exit-code.ts";

export const healthCommand = defineCommand({
  name: "health",
  summary: "Says whether the database, a worker or a server is healthy; for container probes, without curl.",
  examples: [
    ["lockstep health", "the database answers and has the right schema"],
    ["lockstep health --worker mail-1", "and a worker of this name, or on this host, is alive"],
    ["lockstep health --url http://127.0.0.1:4400", "whether a server is ready, and what it has checked"],
  ],
  flags: {
    worker: { type: "text", placeholder: "NAME", sentence: "A live worker of this name, or on this host." },
    url: {
      type: "text",
      placeholder: "URL",
      sentence: "Ask the /health of the server at this URL, not the database.",
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
    // A server that works must not be restarted because of a warning.
    return exitCode(checks.some((check) => stateOf(check) === "bad") ? "checkFailed" : "done");
  },
});

const marks = { ok: "✔", warn: "!", bad: "✖" } as const;

function stateOf({ isOk, isCritical }: HealthCheck): keyof typeof marks {
  return isOk ? "ok" : isCritical ? "bad" : "warn";
}

async function checksOf({ engine, reader, schema, io, flags }: CommandContext): Promise<HealthCheck[]> {
  const beganMs = io.clock.monotonicMs();
  const queue = await engine();
  const plan = await queue.planMigration();
  const { version, codeVersion } = plan;
  const tookMs = io.clock.monotonicMs() - beganMs;
  const isWritable = await queue.isWritable();
  const isUsable = isMigrated(plan);
  const checks: HealthCheck[] = [
    {
      check: "database",
      isOk: isWritable,
      isCritical: true,
      finding: `answers in ${durationText(tookMs)}${isWritable ? "" : ", and is read-only"}`,
      advice: isWritable ? null : "Use the URL of the primary, and a user who may write.",
    },
    {
      check: "schema",
      isOk: isUsable,
      isCritical: true,
      finding:
        version > codeVersion
          ? `version ${version}, newer than ${codeVersion} and usable`
          : `version ${version} of ${codeVersion}`,
      advice: isUsable ? null : `Run \`${migrateCommand(await schema())}\`.`,
    },
  ];
  if (flags.worker === undefined || !isUsable) return checks;
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
      advice: live.length > 0 ? null : "Run `lockstep workers` to list them.",
    },
  ];
}
