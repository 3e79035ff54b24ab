import { posix } from "node:path";
import {
  allowedImports,
  besideEngine,
  insideEngine,
  inTests,
  isOurs,
  packageName,
  roomOf,
  sentenceAbout,
} from "./rooms.ts";
import type { SourceFile } from "./source-files.ts";

interface Import {
  specifier: string;
  isType: boolean;
}

const engineSource = "packages/engine/src/";

export function importProblems(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => /\.(ts|tsx|js)$/.test(path))
    .flatMap((file) => importsOf(file.code).flatMap((found) => problemsOf(file, found)));
}

export function importsOf(code: string): Import[] {
  const statements = code.matchAll(
    /\b(?:import|export)\s+(type\s)?(?:[\w$*{}\s,]*?\sfrom\s*)?["']([^"'\n]+)["']/g,
  );
  const calls = code.matchAll(/\bimport\(\s*["']([^"'\n]+)["']/g);
  return [
    ...[...statements].map(([, type, specifier = ""]) => ({ specifier, isType: type !== undefined })),
    ...[...calls].map(([, specifier = ""]) => ({ specifier, isType: false })),
  ];
}

function problemsOf(file: SourceFile, found: Import): string[] {
  const room = roomOf(file.path);
  if (room === undefined) return [];
  const allowed = allowedImports(room);
  if (allowed === undefined) {
    return [
      `${file.path}: the room ${room} is not in scripts/arrows/rooms.ts. Say there what it may import.`,
    ];
  }
  if (found.specifier.startsWith(".")) return pathProblems(file, room, found);
  if (!isOurs(found.specifier)) return [];
  const isAllowed =
    isListed(allowed, found.specifier, found.isType) ||
    isListed([packageName(room)], found.specifier, found.isType) ||
    (file.isTest && inTests.includes(found.specifier));
  return isAllowed ? [] : [`${file.path} imports ${found.specifier}. ${sentenceAbout(room, allowed)}`];
}

function pathProblems(file: SourceFile, room: string, found: Import): string[] {
  const target = posix.join(posix.dirname(file.path), found.specifier);
  if (!target.startsWith(`${room}/`)) {
    return [`${file.path} imports ${found.specifier}. Packages import each other by name, never by a path.`];
  }
  if (file.isTest || !file.path.startsWith(engineSource) || !target.startsWith(engineSource)) return [];
  return engineProblems(file.path, placeOf(file.path), placeOf(target), found);
}

function engineProblems(path: string, from: string, to: string, { specifier, isType }: Import): string[] {
  if (from === to) return [];
  const isLoose = (place: string) => insideEngine[place] === undefined && !place.endsWith("/");
  const allowed = insideEngine[from] ?? besideEngine;
  if (allowed.includes("*") || isListed(allowed, to, isType) || (isLoose(from) && isLoose(to))) return [];
  const room = `${engineSource}${from}`;
  return [`${path} imports ${specifier}. ${sentenceAbout(room, allowed)}`];
}

/** The engine's rooms are its folders, and the files beside them. */
function placeOf(path: string): string {
  const [first = "", ...rest] = path.slice(engineSource.length).split("/");
  return rest.length > 0 ? `${first}/` : first;
}

function isListed(allowed: readonly string[], name: string, isType: boolean): boolean {
  return allowed.some((entry) => {
    const [, type, target = ""] = /^(type )?(.*)$/.exec(entry) ?? [];
    return (name === target || name.startsWith(`${target}/`)) && (type === undefined || isType);
  });
}
