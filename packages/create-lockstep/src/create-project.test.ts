import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProject } from "./create-project.ts";

function folderWith(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "create-lockstep-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return {
    folder,
    create: () => createProject({ folder, kind: null, packagesFrom: null }).join("\n"),
    read: (path: string) => readFileSync(join(folder, path), "utf8"),
  };
}

test.each([
  [{}, "node", "pipelines.js"],
  [{ next: "16.0.0" }, "next", '"./pipelines"'],
  [{ "@nestjs/core": "11.0.0", express: "5.0.0" }, "nest", '"./pipelines"'],
  [{ express: "5.0.0" }, "express", "pipelines.js"],
  [{ fastify: "5.0.0" }, "fastify", "pipelines.js"],
])("a project with the dependencies %j is of the kind %s", (dependencies, kind, imported) => {
  const { create, read } = folderWith({
    "package.json": JSON.stringify({ dependencies }),
    "src/main.ts": "",
  });
  expect(create()).toContain(`Jobs for the ${kind} project in`);
  expect(read("src/jobs.ts")).toContain(imported);
  expect(JSON.parse(read("package.json")).dependencies).toMatchObject({
    ...dependencies,
    lockstep: expect.stringMatching(/^\^\d/),
  });
});

test("a project of Nest that is of ES modules gets imports that Node finds", () => {
  const dependencies = { "@nestjs/core": "12.0.0" };
  const { create, read } = folderWith({ "package.json": JSON.stringify({ type: "module", dependencies }) });
  create();
  expect(read("jobs.ts")).toContain('"./pipelines.js"');
});

test("what is there stays: files are named with what to merge, scripts, versions and lines are kept", () => {
  const manifest = {
    name: "shop",
    scripts: { "jobs:dev": "mine", test: "vitest" },
    devDependencies: { tsx: "4.1.0" },
  };
  const { create, read } = folderWith({
    "package.json": JSON.stringify(manifest),
    "pipelines.ts": "export const mine = 1;",
    ".gitignore": "/node_modules\ndist",
  });
  expect(create()).toMatch(
    /already exist and were not changed[^:]*:\n\npipelines\.ts\n {4}import \{ definePipeline/,
  );
  expect(read("pipelines.ts")).toBe("export const mine = 1;");
  expect(read(".gitignore")).toBe("/node_modules\ndist\n.lockstep/\n.env\n");
  expect(JSON.parse(read("package.json"))).toMatchObject({
    name: "shop",
    scripts: { "jobs:dev": "mine", "jobs:work": "lockstep work", test: "vitest" },
    devDependencies: { tsx: "4.1.0" },
  });
  const before = read("package.json");
  create();
  expect([read("package.json"), read(".gitignore")]).toEqual([
    before,
    "/node_modules\ndist\n.lockstep/\n.env\n",
  ]);
});
