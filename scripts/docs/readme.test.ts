import { existsSync } from "node:fs";
import { join } from "node:path";
import * as lockstep from "lockstep";
import { describe, expect, test } from "vitest";
import * as outcome from "../../packages/engine/src/jobs/outcomes/outcome.ts";
import { repository } from "../run-command.ts";
import { filesBelow, read, tableUnder } from "./page.ts";

const page = read("README.md");

interface Manifest {
  name: string;
  private?: boolean;
  engines?: { node: string };
  optionalDependencies?: Record<string, string>;
  scripts: Record<string, string>;
  workspaces: string[];
}
const manifestOf = (folder: string): Manifest => JSON.parse(read(join(folder, "package.json")));
const root = manifestOf("");
const packages = root.workspaces.filter((folder) => folder.startsWith("packages/"));
const codeWords = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);

describe("the README", () => {
  test("asks for the Node that every published package asks for", () => {
    const [, version] = /Node (\S+) or newer/.exec(page) ?? [];
    const published = [root, ...packages.map(manifestOf).filter((manifest) => !manifest.private)];
    expect(new Set(published.map(({ engines }) => engines?.node))).toEqual(new Set([`>=${version}`]));
  });

  test("names the PostgreSQL that comes with the packages, and those that the tests run on", () => {
    const [, brought] = /PostgreSQL (\d+) comes with the packages/.exec(page) ?? [];
    const servers = Object.values(manifestOf("packages/local-postgres").optionalDependencies ?? {});
    expect(new Set(servers.map((version) => version.split(".")[0]))).toEqual(new Set([brought]));
    const [, oldest, newest] = /\(PostgreSQL (\d+) to (\d+)\)/.exec(page) ?? [];
    const older = Object.keys(root.scripts).flatMap((name) => /^test:pg(\d+)$/.exec(name)?.[1] ?? []);
    expect([older[0], newest]).toEqual([oldest, brought]);
    expect(older).toHaveLength(Number(newest) - Number(oldest));
  });

  test("has every package in its map, by the name that npm knows it by, or as private", () => {
    const rows = tableUnder(page, "## The map").map(([folder = "", name = ""]) => [
      /`([^`]+)`/.exec(folder)?.[1] ?? "",
      name.replaceAll("`", ""),
    ]);
    const expected = packages.map((folder) => {
      const { name, private: isPrivate } = manifestOf(folder);
      return [folder, isPrivate ? "private" : name];
    });
    expect(rows.filter(([folder]) => folder?.startsWith("packages/")).sort()).toEqual(expected.sort());
  });

  test("tells of examples that are each run by a test", () => {
    const programs = filesBelow("examples", ".ts").filter(
      (path) => !/(\.test|run-example|bundle-examples)\.ts$/.test(path),
    );
    expect(programs.length).toBeGreaterThan(10);
    const testOf = (path: string) => {
      const project = /^examples\/projects\/([^/]+)/.exec(path)?.[1];
      if (project !== undefined) return `test/frameworks/${project}-project.ts`;
      // Each of these folders is one example.
      const folder = /^examples\/(?:getting-started|moving-from)(?=\/)/.exec(path)?.[0];
      return `${folder ?? path.replace(/\.ts$/, "")}.test.ts`;
    };
    expect(programs.filter((path) => !existsSync(join(repository, testOf(path))))).toEqual([]);
  });

  test("lists what an engine and a handler can do by the names that they have", async () => {
    const rows = new Map(
      tableUnder(page, "## What an engine can do").map(([title = "", text = ""]) => [title, text]),
    );
    const calls = ["add", "work", "read", "steer"].flatMap((title) =>
      codeWords((rows.get(title) ?? "").replace(/^([^:]*): (?:priority|10 processors).*/, "$1")),
    );
    expect(calls.length).toBeGreaterThan(20);
    const engine = lockstep.createEngine({ databaseUrl: "postgres://me@localhost/app" });
    expect(calls.filter((name) => !(name in engine))).toEqual([]);
    await engine.stop();
    const answers = codeWords(rows.get("a handler answers") ?? "");
    const published = Object.keys(outcome).filter((name) => name in lockstep);
    expect(answers.sort()).toEqual(published.sort());
  });
});

test("what is published on npm has no link in its README to files that leave their package", () => {
  const readmes = packages
    .filter((folder) => !manifestOf(folder).private)
    .map((folder) => `${folder}/README.md`);
  expect(readmes.length).toBeGreaterThan(5);
  expect(readmes.filter((path) => read(path).includes("](../"))).toEqual([]);
});

test("the numbers of the README are those of docs/performance.md", () => {
  const [parts, measured] = [tableUnder(page, "## In numbers"), read("docs/performance.md")];
  expect(parts.length).toBeGreaterThan(4);
  for (const [, own = "", , peer = "", ratio = ""] of parts) {
    const row = measured
      .split("\n")
      .find((line) => line.includes(` ${own.split(" ")[0]} `) && line.includes(` ${ratio} `));
    expect(row, own).toContain(` ${peer.split(" ")[0]} `);
  }
});
