import type { PublicExport } from "./public-exports.ts";

/** The subjects of `lockstep`, by the folder of the source, in the order of the page. */
const subjects: Readonly<Record<string, string>> = {
  src: "The engine",
  pipelines: "Pipelines and stages",
  adding: "Adding jobs",
  outcomes: "What handlers answer, and effects",
  values: "Payloads, outputs and results",
  results: "Waiting for results",
  reading: "Reading jobs and statistics",
  steering: "Steering jobs",
  schedules: "Schedules",
  transactions: "Transactions",
  events: "Events, logs and health",
  connections: "The database",
  schema: "The schema",
  migrate: "Migrations",
  stepping: "Working in steps, for tests",
};

/** A package's page: every export with its comment and its declaration. */
export function referencePage(packageName: string, exports: readonly PublicExport[]): string {
  const intro = `# ${packageName}\n\nEverything that the package exports, made from its types.\n`;
  if (packageName !== "lockstep") return [intro, ...sorted(exports).map((one) => section(one, 2))].join("\n");
  const titles = new Set([...Object.values(subjects), ...exports.map(subjectOf)]);
  const parts = [...titles].flatMap((title) => {
    const members = exports.filter((one) => subjectOf(one) === title);
    if (members.length === 0) return [];
    return [`## ${title}\n`, ...sorted(members).map((one) => section(one, 3))];
  });
  return [intro, ...parts].join("\n");
}

function subjectOf({ place }: PublicExport): string {
  if (place.startsWith("database/")) return subjects.migrate ?? "";
  const folder = place.split("/").at(-2) ?? "";
  return subjects[folder] ?? folder;
}

/** What is called before what is only described. */
function sorted(exports: readonly PublicExport[]): PublicExport[] {
  const rank = ({ statements }: PublicExport) => {
    const [, keyword = ""] = /^(?:export )?(?:declare )?(\w+)/.exec(statements[0]?.text ?? "") ?? [];
    return ["function", "const", "class", "interface", "type"].indexOf(keyword);
  };
  return exports.toSorted((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1));
}

function section({ name, statements, bases }: PublicExport, level: number): string {
  const doc = statements.find((statement) => statement.doc !== "")?.doc ?? "";
  const own = block(statements.map(({ text }) => text));
  const inherited = bases.map(({ name: base, statements: parts }) => {
    const withoutConstructor = parts.map(({ text }) => text.replace(/^ {4}constructor\(.*\n/gm, ""));
    return `It also has what \`${base}\` has:\n\n${block(withoutConstructor)}`;
  });
  return [
    `${"#".repeat(level)} ${name}\n`,
    doc,
    "",
    own,
    "",
    ...inherited.flatMap((part) => [part, ""]),
  ].join("\n");
}

/** As people would write it: without what the compiler adds, and with two spaces. */
function block(texts: readonly string[]): string {
  const code = texts
    .join("\n")
    .replace(/^ {4}(#private;|private .*)\n/gm, "")
    .replace(/^(export )?(declare )?/gm, "")
    .replace(/^( {4})+/gm, (spaces) => " ".repeat(spaces.length / 2));
  return `\`\`\`ts\n${code}\n\`\`\``;
}
