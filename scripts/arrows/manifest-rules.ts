import { importsOf } from "./import-rules.ts";
import {
  allowedImports,
  bundledRooms,
  inTests,
  isOurs,
  packageName,
  roomOf,
  sentenceAbout,
} from "./rooms.ts";
import type { SourceFile } from "./source-files.ts";

interface Manifest {
  private?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** A package.json lists what its room may import, and all that its code does import. */
export function manifestProblems(files: SourceFile[]): string[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path);
    if (room === undefined || file.path !== `${room}/package.json`) return [];
    const manifest: Manifest = JSON.parse(file.text);
    const code = files.filter(({ path, isTest }) => path.startsWith(`${room}/src/`) && !isTest);
    return [
      ...listedProblems(file.path, room, manifest),
      ...missingProblems(file.path, room, manifest, code),
    ];
  });
}

function listedProblems(path: string, room: string, manifest: Manifest): string[] {
  const allowed = allowedImports(room) ?? [];
  const inUse = allowed.map((entry) => entry.replace(/^type /, ""));
  const isAllowed = (name: string) => inUse.some((entry) => entry === name || entry.startsWith(`${name}/`));
  const installed = { ...manifest.dependencies, ...manifest.peerDependencies };
  const wrong = Object.keys(installed).filter((name) => isOurs(name) && !isAllowed(name));
  const wrongInTests = Object.keys(manifest.devDependencies ?? {}).filter(
    (name) => isOurs(name) && !isAllowed(name) && !inTests.includes(name),
  );
  return [...wrong, ...wrongInTests].map((name) => `${path} lists ${name}. ${sentenceAbout(room, allowed)}`);
}

function missingProblems(path: string, room: string, manifest: Manifest, code: SourceFile[]): string[] {
  // What is never published finds the tools of the repository.
  if (manifest.private || bundledRooms.includes(room)) return [];
  const listed = new Set(
    [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies].flatMap((part) =>
      Object.keys(part ?? {}),
    ),
  );
  const imported = code.flatMap((file) => importsOf(file.code)).map(({ specifier }) => specifier);
  const missing = imported
    .filter((specifier) => !/^(\.|node:)/.test(specifier))
    .map((specifier) =>
      specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
    )
    .filter((name) => name !== packageName(room) && !listed.has(name));
  return [...new Set(missing)].map(
    (name) => `${path} does not list ${name}, which its code imports. Add it to dependencies.`,
  );
}
