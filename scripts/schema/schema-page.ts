import { type Ask, type Catalogue, readCatalogue, type Table } from "./catalogue.ts";
import { type Reasons, readReasons } from "./reasons.ts";

const head = `# The schema

The tables of the schema \`lockstep\`, for those who work on Lockstep or want to know what the queue keeps. Tables are private and may
change with any release. Only the owner of the schema may read them; everybody else calls the functions of [sql-api.md](sql-api.md).

\`npm run schema\` writes this page from the catalogue of a migrated database and from the comments in its migrations. A test compares it. Words such as
lane, claim and suspect are in the [glossary](glossary.md).

`;

/** docs/schema.md: all tables in one place, from the catalogue of a migrated database and the text of its migrations. */
export async function schemaPage(ask: Ask, migrations: string): Promise<string> {
  const catalogue = await readCatalogue(ask);
  const reasons = readReasons(migrations);
  const whole = catalogue.tables.filter(({ partOf }) => partOf === null);
  return [
    `${head}## Picture\n\n${pictureOf(whole)}`,
    `## Tables\n\n${whole.map((table) => tableText(table, catalogue, reasons.get(table.name))).join("\n\n")}`,
    `## Sequences, triggers, types and views\n\n${otherThings(catalogue)}`,
    "",
  ].join("\n\n");
}

// Most of these are not foreign keys, since the check would cost every job.
const pointsTo: readonly (readonly [RegExp, string])[] = [
  [/^pipeline_id$/, "pipelines"],
  [/(^|_)stage_id$/, "stages"],
  [/(^|_)job_id$/, "jobs"],
  [/^(batch_id|waits_for)$/, "batches"],
  [/^(worker_id|held_by)$/, "workers"],
];

/** A Mermaid diagram: a line for each column that contains the id of a row in another table. */
function pictureOf(tables: readonly Table[]): string {
  const lines = tables.flatMap(({ name, columns }) =>
    columns.flatMap((column) => {
      const target = pointsTo.find(([pattern]) => pattern.test(column.name))?.[1];
      return target === undefined
        ? []
        : [`  ${name} }o--${column.isRequired ? "||" : "o|"} ${target} : ${column.name}`];
    }),
  );
  const alone = tables.filter(({ name }) => !lines.some((line) => line.split(" ").includes(name)));
  return ["```mermaid", "erDiagram", ...lines, ...alone.map(({ name }) => `  ${name}`), "```"].join("\n");
}

function tableText(table: Table, { tables }: Catalogue, reasons: Reasons | undefined): string {
  const parts = tables.filter(({ partOf }) => partOf === table.name).map(({ name }) => name);
  const facts = [
    table.isUnlogged ? "Unlogged: a crash of PostgreSQL empties it." : "",
    table.partitionedBy === null
      ? ""
      : `Partitioned by ${table.partitionedBy.toLowerCase()}: ${parts.join(", ")}.`,
    table.settings.length === 0 ? "" : `Storage: \`${table.settings.join(", ")}\`.`,
    table.identifiedByAll ? "Replica identity: all columns." : "",
  ].filter((fact) => fact !== "");
  return [
    `### \`${table.name}\``,
    reasons?.table ?? "",
    facts.join(" "),
    [
      "| column | type | required | default | meaning or reason |",
      "| --- | --- | --- | --- | --- |",
      ...table.columns.map((column) =>
        row([
          `\`${column.name}\``,
          column.type,
          column.isRequired ? "yes" : "",
          column.default === null ? "" : `\`${column.default}\``,
          reasons?.columns.get(column.name) ?? "",
        ]),
      ),
    ].join("\n"),
    listed("Indexes", table.indexes),
    listed("Checks", table.checks),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function listed(title: string, entries: readonly string[]): string {
  return entries.length === 0
    ? ""
    : [`${title}:`, "", ...entries.map((entry) => `- \`${entry}\``)].join("\n");
}

function otherThings({ others }: Catalogue): string {
  return [
    "| kind | name | |",
    "| --- | --- | --- |",
    ...others.map(({ kind, name, text }) => row([kind, `\`${name}\``, text === "" ? "" : `\`${text}\``])),
  ].join("\n");
}

const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
