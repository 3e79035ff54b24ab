import type { SuiteOutcome } from "./long-suite.ts";

/** The last run of each suite, with its figures: docs/reliability/latest.json. */
export interface LongReport {
  readonly suites: readonly SuiteReport[];
}

export interface SuiteReport extends SuiteOutcome {
  readonly name: string;
  readonly sentence: string;
  readonly minutes: number;
  readonly commit: string;
  readonly day: string;
  readonly seed: number;
  readonly cores: number;
  readonly node: string;
  /** How many times longer work took than on a machine of its own, before the run. */
  readonly slowness: number;
}

/** The report with the suites that were run now in place of their earlier runs. */
export function withSuites(
  report: LongReport,
  run: readonly SuiteReport[],
  order: readonly string[],
): LongReport {
  const kept = report.suites.filter(({ name }) => !run.some((suite) => suite.name === name));
  const place = ({ name }: SuiteReport) => order.indexOf(name);
  return { suites: [...kept, ...run].sort((one, other) => place(one) - place(other)) };
}

/** The same for people: docs/reliability/README.md. */
export function reportPage({ suites }: LongReport): string {
  const rows = suites.map(
    ({ name, minutes, commit, day, failures }) =>
      `| [${name}](#${name}) | ${day} | \`${commit}\` | ${minutes.toFixed(1)} | ${failures.length === 0 ? "passed" : `${failures.length} failures`} |`,
  );
  return `${introduction}
## The last long runs

[latest.json](latest.json) has the same for programs, and [mutants.md](mutants.md) which suite finds which fault in the code.

| suite | day | commit | minutes | outcome |
| ----- | --- | ------ | ------- | ------- |
${rows.join("\n")}

${suites.map((suite) => section(suite)).join("\n")}`;
}

function section({
  name,
  sentence,
  figures,
  failures,
  replay,
  seed,
  cores,
  node,
  slowness,
}: SuiteReport): string {
  const rows = Object.entries(figures).map(
    ([figure, value]) => `| ${figure} | ${Math.round(value).toLocaleString("en")} |`,
  );
  const busy =
    slowness < 1.5
      ? ""
      : ` The machine was busy with other things: work took about ${slowness.toFixed(0)} times as long as on one of its own, and leases were longer by as much.`;
  return `### ${name}

${sentence} ${seedsOf(seed, figures.rounds ?? 1)}, ${cores} cores, Node ${node}.${busy}

| | |
| - | - |
${rows.join("\n")}
${failures.length === 0 ? "" : `\n${failures.map((failure) => `- ${failure}`).join("\n")}\n`}
Its ${failures.length === 0 ? "last" : "first failed"} round again: \`${replay}\`
`;
}

/** Each round has the next one. */
const seedsOf = (first: number, rounds: number) =>
  rounds === 1 ? `Seed ${first}` : `Seeds ${first} to ${first + rounds - 1}`;

const introduction = `# Reliability: what was run, and what came of it

This page is written by \`npm run test:long\`. [lifecycle.md](../lifecycle.md) has the promises; here is how they are tried.

\`\`\`shell
npm run test:long                                  # all suites, five minutes each
npm run test:long -- --minutes 30 --only chaos,pg  # some of them, longer
npm run chaos -- --seed 7 --seconds 60             # one run of chaos; every run prints the command that repeats it
npm run chaos -- --kinds kill,freeze --pooler      # with these faults only, through PgBouncer
\`\`\`

Each suite is run for the minutes given, but those that say how much they do; its figures are written down as soon as it is
over, and one that breaks off is a failure of its own and not of the others. \`npm test\` has a short run of each.

Jobs of the chaotic suites have three stages whose lengths straddle the lease, tries fail, hang and are
cancelled, and never so many jobs wait that a freed one is not claimed at once: with a backlog, or with short jobs, a broken
fence does not show. Half of the workers never stop trusting their lease, half of the handlers ignore their signal, and the
wall clocks of most workers are wrong by hours or stand still, so that only the claim token and PostgreSQL's clock are left to
keep order.

Three witnesses are compared after each run: what producers and handlers wrote into files of their own (what was
acknowledged, which try ran under which claim), what triggers in the test's database saw of every claim and of every end of
one, and what \`lockstep.verify()\` says. A run with too few refused words of stale claims fails, too: its faults did not bite.
A job is to be claimed again within three leases of the moment its worker was hit, or of the end of the last outage since, and
three times what the machine itself took to answer meanwhile. Where the network is at fault, one worker is left cut off one way
in the end, and the others have to do its jobs.
`;
