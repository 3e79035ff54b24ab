// Processes of their own: a module is imported once and for all, and not by the test runner.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { childProgram } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";

const engine = fileURLToPath(new URL("../../../engine", import.meta.url));
const loader = new URL("./load-pipelines.ts", import.meta.url).href;

type Files = Record<string, string>;

/** What comes of loading in a folder with these files: the pipelines' names and files, or the refusal. */
async function loading(cases: readonly { files: Files; asked?: string[] }[]): Promise<unknown[]> {
  const folders: string[] = [];
  for (const { files } of cases) folders.push(await folderWith(files));
  const asked = cases.map((each) => each.asked ?? []);
  const program = childProgram(`
    const { loadPipelines } = await import(${JSON.stringify(loader)});
    const asked = ${JSON.stringify(asked)};
    for (const [index, folder] of ${JSON.stringify(folders)}.entries()) {
      const loaded = await loadPipelines(asked[index], folder).then(
        ({ pipelines, files }) => [pipelines.map(({ name }) => name), files],
        ({ message, advice }) => ({ message, advice }),
      );
      console.log(JSON.stringify(loaded));
    }
  `);
  const answers: unknown[] = [];
  for (const _ of cases) answers.push(await program.nextValue());
  return answers;
}

async function folderWith(files: Files): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-pipelines-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await symlink(engine, join(folder, "node_modules", "lockstep"));
  return folder;
}

function pipelines(...names: string[]): string {
  const each = names.map(
    (name) => `export const ${name} = definePipeline("${name}").stage("only", () => 1 as number);`,
  );
  return ['import { definePipeline } from "lockstep";', ...each].join("\n");
}

const esm = { "package.json": '{ "type": "module" }' };
const cjs = { "package.json": "{}" };

test("pipelines are found in the usual places, in TypeScript of both kinds and in JavaScript", async () => {
  const plain = pipelines("plain").replace(" as number", "");
  expect(
    await loading([
      { files: {} },
      { files: { ...esm, "pipelines.ts": pipelines("one", "two") } },
      {
        files: {
          ...cjs,
          "src/name.ts": "export const before: string = 'in';",
          "src/pipelines.ts": `import { before } from "./name";\nif (before !== "in") throw 1;\n${pipelines("inCommonJs")}`,
        },
      },
      { files: { "lockstep.pipelines.mjs": plain, "pipelines.ts": pipelines("later") } },
      {
        files: {
          ...esm,
          "apps/first/src/pipelines.ts": pipelines("a"),
          "apps/second/src/pipelines.ts": `${pipelines("b").replace("export ", "")}\nexport default [b];`,
        },
      },
      {
        files: { ...esm, "jobs/x.ts": pipelines("x"), "jobs/y.ts": pipelines("y") },
        asked: ["jobs/*.ts", "jobs/x.ts"],
      },
    ]),
  ).toEqual([
    [["demo"], []],
    [["one", "two"], ["pipelines.ts"]],
    [["inCommonJs"], ["src/pipelines.ts"]],
    [["plain"], ["lockstep.pipelines.mjs"]],
    [
      ["a", "b"],
      ["apps/first/src/pipelines.ts", "apps/second/src/pipelines.ts"],
    ],
    [
      ["x", "y"],
      ["jobs/x.ts", "jobs/y.ts"],
    ],
  ]);
});

test("what cannot be loaded is refused with the file, the line and what to do", async () => {
  const fix = "Correct the file; nothing was started.";
  const otherCopy = `
    class Pipeline { name = "mine"; settings = {}; stages = [{ name: "only", handler() {} }]; }
    export default new Pipeline();`;
  expect(
    await loading([
      { files: {}, asked: ["nowhere.ts"] },
      { files: { ...esm, "pipelines.ts": "export const x = 1;" } },
      { files: { ...esm, "pipelines.ts": "\nexport const = 1;" } },
      { files: { ...esm, "pipelines.ts": '\n\nthrow new Error("no configuration");' } },
      { files: { ...esm, "pipelines.ts": 'import "left-pad-of-nobody";' } },
      { files: { ...esm, "a.ts": pipelines("x"), "b.ts": pipelines("x") }, asked: ["*.ts"] },
      { files: { "pipelines.mjs": otherCopy } },
    ]),
  ).toEqual([
    {
      message: "--pipelines nowhere.ts: there is no such file.",
      advice: expect.stringContaining("Give the file that exports your pipelines"),
    },
    { message: "pipelines.ts exports no pipeline.", advice: expect.any(String) },
    { message: 'pipelines.ts:2:13: Expected identifier but found "="', advice: fix },
    { message: expect.stringMatching(/^pipelines\.ts:3(:\d+)?: no configuration$/), advice: fix },
    {
      message: expect.stringContaining("Cannot find package 'left-pad-of-nobody'"),
      advice: "Install it in the project of that file: npm install left-pad-of-nobody",
    },
    { message: 'b.ts and a.ts both export a pipeline "x".', advice: expect.any(String) },
    {
      message: expect.stringContaining("was made with a different copy of lockstep"),
      advice: expect.stringContaining("npm install --save-dev @lockstep/cli"),
    },
  ]);
});
