import { existsSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { createProject } from "./create-project.ts";
import { type ProjectKind, projectKinds } from "./project-kind.ts";

const usage = `npm create lockstep [FOLDER]

  npm create lockstep my-jobs    a new project
  npm create lockstep .          adds jobs to the project in this folder

  --kind KIND              ${projectKinds.join(", ")}; by default what package.json says
  --packages-from FOLDER   takes the packages of Lockstep from the tarballs in a folder
  --yes                    asks nothing
`;

try {
  process.stdout.write(await answer());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function answer(): Promise<string> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kind: { type: "string" },
      "packages-from": { type: "string" },
      yes: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return usage;
  if (positionals.length > 1) throw new Error(`Give one folder.\n\n${usage}`);
  const kind = projectKinds.find((each) => each === values.kind) ?? null;
  if (values.kind !== undefined && kind === null) throw new Error(`Unknown kind ${values.kind}.\n\n${usage}`);
  const folder = positionals[0] ?? (await folderOf(values.yes === true));
  return `${lines({ folder, kind, packagesFrom: values["packages-from"] ?? null })}\n`;
}

function lines(wishes: { folder: string; kind: ProjectKind | null; packagesFrom: string | null }): string {
  return createProject(wishes).join("\n");
}

/** The only question. Where there is a project, it is meant. */
async function folderOf(isYes: boolean): Promise<string> {
  const usual = existsSync("package.json") ? "." : "my-jobs";
  if (isYes || !process.stdin.isTTY || !process.stdout.isTTY) return usual;
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const said = await asking.question(`Folder of the project (${usual}): `);
  asking.close();
  return said.trim() || usual;
}
