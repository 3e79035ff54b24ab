import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { corpusDocuments } from "./documents.ts";
import { poisonFiles } from "./poison.ts";

// npm run corpus -- FOLDER
const folder = resolve(process.argv[2] ?? "corpus");
await mkdir(join(folder, "poison"), { recursive: true });
const documents = corpusDocuments();
for (const { name, make } of documents) await writeFile(join(folder, `${name}.pdf`), await make());
const truth = documents.map(({ name, kind, truth }) => ({ name, kind, truth }));
await writeFile(join(folder, "truth.json"), `${JSON.stringify(truth, null, 2)}\n`);
for (const { name, make } of poisonFiles)
  await writeFile(join(folder, "poison", `${name}.pdf`), await make());
process.stdout.write(`${documents.length} documents and ${poisonFiles.length} poison files in ${folder}\n`);
