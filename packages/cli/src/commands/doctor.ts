import type { Finding } from "lockstep";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import type { Output } from "../output.ts";

export const doctorCommand = defineCommand({
  name: "doctor",
  summary: "Looks for what may keep the queue from working well; exit code 7 when something is bad.",
  examples: [
    ["lockstep doctor", "look at the connection, settings, vacuum, indexes, workers"],
    ["lockstep doctor --json | jq -r '.data[].repairSql // empty'", "only the SQL that mends what was found"],
  ],
  flags: {
    "transaction-pooler": {
      type: "switch",
      sentence: "The database URL leads through a transaction pooler, and the workers know.",
    },
    "listen-url": {
      type: "text",
      placeholder: "URL",
      sentence: "Where the workers listen, when not at the database URL.",
    },
  },
  async run({ flags, engine, output }) {
    const doctor = await engine({
      transactionPooler: flags["transaction-pooler"],
      listenUrl: flags["listen-url"],
    });
    const findings = await doctor.diagnose();
    // In lines and not in a table: a finding may be long, and what mends it must stay whole.
    if (output.format === "text") await output.lines(findings.flatMap((finding) => linesOf(finding, output)));
    else await output.list(findings, []);
    const count = (wanted: Finding["severity"]) =>
      findings.filter(({ severity }) => severity === wanted).length;
    output.note(`${count("ok")} checks are well, ${count("warn")} give a warning, ${count("bad")} are bad.`);
    return exitCode(count("bad") === 0 ? "done" : "checkFailed");
  },
});

function linesOf({ check, severity, finding, advice, repairSql }: Finding, output: Output): string[] {
  const { green, yellow, red, dim, bold } = output.paint;
  const mark = { ok: green("✔ ok  "), warn: yellow("! warn"), bad: red("✖ bad ") }[severity];
  return [
    `${mark}  ${bold(check)}: ${output.safe(finding)}`,
    ...(advice === null ? [] : [`        ${output.safe(advice)}`]),
    ...(repairSql === null ? [] : [`        ${dim("sql")}  ${output.safe(repairSql)}`]),
  ];
}
