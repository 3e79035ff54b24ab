import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { satisfies } from "semver";
import { expect, test } from "vitest";
import { publishedPackages } from "../build/published-packages.ts";
import { repository } from "../run-command.ts";

interface Locked {
  link?: boolean;
  version?: string;
  engines?: { node?: string };
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const read = (path: string) => JSON.parse(readFileSync(join(repository, path), "utf8"));
const locked: Record<string, Locked> = read("package-lock.json").packages;

/** Where a package that is asked for in one place is found: there or above, as Node looks for it. */
function placeOf(name: string, from: string): string | null {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf("/node_modules/")))) {
    const found = `${place === "" ? "" : `${place}/`}node_modules/${name}`;
    const entry = locked[found];
    if (entry !== undefined) return entry.link ? (entry.resolved ?? null) : found;
    if (place === "") return null;
    if (!place.includes("/node_modules/")) place = "";
  }
}

/** All that is installed for a package of ours, by place. */
function installedFor(root: string): Set<string> {
  const places = new Set<string>();
  const open = [root];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const name of Object.keys(locked[place]?.dependencies ?? {})) {
      const found = placeOf(name, place);
      if (found === null) throw new Error(`${place} asks for ${name}, which is not locked.`);
      if (!places.has(found)) open.push(found);
      places.add(found);
    }
  }
  return places;
}

test.each(publishedPackages)("%s has at most 12 runtime dependencies of its own", (folder) => {
  expect(Object.keys(read(`${folder}/package.json`).dependencies ?? {}).length).toBeLessThanOrEqual(12);
});

test.each(publishedPackages)("%s brings along what is locked by its hash", (folder) => {
  const foreign = [...installedFor(folder)].filter((place) => place.includes("node_modules/"));
  expect(foreign.filter((place) => !/^sha512-/.test(locked[place]?.integrity ?? ""))).toEqual([]);
});

test("the library brings along no more than 16 packages of others, and none with a script at install", () => {
  const foreign = [...installedFor("packages/engine")].filter(
    // Declarations hold no code.
    (place) => place.includes("node_modules/") && !/node_modules\/(@types\/|undici-types$)/.test(place),
  );
  expect(foreign.length).toBeGreaterThan(5);
  expect(foreign.length).toBeLessThanOrEqual(16);
  expect(foreign.filter((place) => locked[place]?.hasInstallScript)).toEqual([]);
});

const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const range = /^\^\d+\.\d+\.\d+$/;

/** What a manifest asks for in another way than it should, a line each. */
function misasked(path: string, versions: Record<string, string> = {}, ...ways: RegExp[]): string[] {
  return Object.entries(versions)
    .filter(([, version]) => !ways.some((way) => way.test(version)))
    .map(([name, version]) => `${path}: ${name} ${version}`);
}

test("what only this repository uses is asked for exactly", () => {
  const folders = ["packages", "apps", "examples/projects"].flatMap((parent) =>
    readdirSync(join(repository, parent)).map((name) => `${parent}/${name}`),
  );
  const loose = [".", "bench", ...folders].flatMap((folder) => {
    const { dependencies, devDependencies }: Locked = read(`${folder}/package.json`);
    const used = publishedPackages.includes(folder)
      ? devDependencies
      : { ...dependencies, ...devDependencies };
    return misasked(folder, used, exact);
  });
  expect(loose).toEqual([]);
});

test("what is published takes newer releases of others, so that an application has one copy of each", () => {
  const wrong = publishedPackages.flatMap((folder) => {
    const { dependencies: { "@lockstep/database": database = "^0.0.0", ...others } = {} }: Locked = read(
      `${folder}/package.json`,
    );
    // The library's code and its SQL are of one release.
    const ofDatabase = folder === "packages/engine" ? exact : range;
    return [
      ...misasked(folder, others, range),
      ...misasked(folder, { "@lockstep/database": database }, ofDatabase),
    ];
  });
  expect(wrong).toEqual([]);
});

test("what works with an engine leaves it to the application which one", () => {
  const beside = publishedPackages.filter(
    (folder) => read(`${folder}/package.json`).devDependencies?.lockstep,
  );
  expect(beside.length).toBeGreaterThan(2);
  for (const folder of beside) {
    const { dependencies, peerDependencies } = read(`${folder}/package.json`);
    expect(dependencies ?? {}, folder).not.toHaveProperty("lockstep");
    expect(peerDependencies.lockstep, folder).toMatch(range);
  }
});

test("nothing is locked to another place than the registry", () => {
  const elsewhere = Object.entries(locked).filter(
    ([, { link, resolved }]) => !link && resolved !== undefined,
  );
  expect(elsewhere.map(([place]) => place)).toEqual([]);
});

// Those of other platforms too: each is installed on its own.
test("all that `npm ci` installs runs on Node 20.19, and it prints no warning about that", () => {
  const demands = Object.entries(locked).flatMap(([place, { version, engines }]) =>
    engines?.node === undefined ? [] : [{ place: `${place} ${version}`, node: engines.node }],
  );
  expect(demands.length).toBeGreaterThan(200);
  const refused = demands.filter(({ node }) => !satisfies("20.19.0", node));
  expect(refused.map(({ place, node }) => `${place} wants ${node}`)).toEqual([]);
});
