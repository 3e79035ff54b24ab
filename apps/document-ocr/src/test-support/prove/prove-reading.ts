import { type Proved, percent, provableDocuments, proveDocument } from "./prove-document.ts";

// npm run prove:reading [-- KIND or NAME]: reads all documents and says how many characters were wrong, by kind.
const only = process.argv[2];
const say = (line: string) => void process.stdout.write(`${line}\n`);

const proved: Proved[] = [];
for (const document of provableDocuments()) {
  if (only !== undefined && document.kind !== only && document.name !== only) continue;
  const one = await proveDocument(document);
  proved.push(one);
  const found = one.found === null ? "" : `, pdftotext differs by ${percent(one.found)}`;
  say(`${one.name}: ${percent(one.read)} as read, ${percent(one.boosted)} boosted${found}`);
}
say("\n| kind | documents | pages | as read | boosted | worst document | pdftotext, worst |");
say("|---|---|---|---|---|---|---|");
for (const kind of new Set(proved.map((one) => one.kind))) {
  const some = proved.filter((one) => one.kind === kind);
  const mean = (of: "read" | "boosted") => some.reduce((sum, one) => sum + one[of], 0) / some.length;
  const worst = Math.max(...some.map(({ read }) => read));
  const lost = some.every(({ found }) => found === null)
    ? "not run"
    : percent(Math.max(...some.map(({ found }) => found ?? 0)));
  const pages = some.reduce((sum, one) => sum + one.pages, 0);
  say(
    `| \`${kind}\` | ${some.length} | ${pages} | ${percent(mean("read"))} | ${percent(mean("boosted"))} | ${percent(worst)} | ${lost} |`,
  );
}
const problems = proved.flatMap((one) => one.problems);
for (const problem of problems) say(`WRONG: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
