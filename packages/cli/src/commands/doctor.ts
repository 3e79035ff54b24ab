import type { Finding } from "lockstep";
import { defineCommand } from "../command-line/command.ts";
import type { Output } from "../output/output.ts";
import { exitCode } from "../session/exit-code.ts";

export const doctorCommand = defineCommand({
  name: "doctor",
  summary: "Checks what may slow down or stop the queue; exit code 7 when a check is bad.",
  examples: [
    ["lockstep doctor", "look at the connection, settings, vacuum, indexes, workers"],
    [
      "lockstep doctor --json | jq -r '.data[].repairSql // empty'",
      "only the SQL that repairs what was found",
    ],
  ],
  flags: {
    "transaction-pooler": {
      type: "switch",
      sentence: "The database URL goes through a transaction pooler, and the workers are set up for it.",
    },
    "listen-url": {
      type: "text",
      placeholder: "URL",
      sentence: "The URL on which the workers use LISTEN, if it is not the database URL.",
    },
  },
  async run({ flags, engine, output }) {
    const doctor = await engine({
      transactionPooler: flags["transaction-pooler"],
      listenUrl: flags["listen-url"],
    });
    const findings = await doctor.diagnose();
    // In lines and not in a table: a finding may be long, and the SQL that repairs it must not be cut.
    if (output.format === "text") await output.lines(findings.flatMap((finding) => linesOf(finding, output)));
    else await output.list(findings, []);
    const count = (wanted: Finding["severity"]) =>
      findings.filter(({ severity }) => severity === wanted).length;
    output.note(`Checks: ${count("ok")} ok, ${count("warn")} with a warning, ${count("bad")} bad.`);
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
