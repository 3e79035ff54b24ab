import { readdir, stat } from "node:fs/promises";
import { isAbsolute, join, parse, relative, resolve, sep } from "node:path";

/** The files that a path names: itself, or with `*`, `?` and `**` all that match, in the order of their names. */
export async function matchingFiles(pattern: string, folder: string): Promise<string[]> {
  const path = isAbsolute(pattern) ? pattern : resolve(folder, pattern);
  if (!/[*?]/.test(pattern)) return (await isFile(path)) ? [path] : [];
  const { root } = parse(path);
  return walk(root, relative(root, path).split(sep));
}

async function walk(folder: string, [part = "", ...rest]: readonly string[]): Promise<string[]> {
  if (!/[*?]/.test(part)) {
    const path = join(folder, part);
    if (rest.length > 0) return walk(path, rest);
    return (await isFile(path)) ? [path] : [];
  }
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  names.sort((one, other) => (one.name < other.name ? -1 : 1));
  const found: string[] = [];
  if (part === "**") found.push(...(await walk(folder, rest)));
  for (const { name, isFolder } of names) {
    // Nobody keeps pipelines there, and there are very many files.
    if (name === "node_modules" || name.startsWith(".")) continue;
    const path = join(folder, name);
    if (part === "**") found.push(...(isFolder ? await walk(path, [part, ...rest]) : []));
    else if (!matcherOf(part).test(name)) continue;
    else if (rest.length > 0) found.push(...(await walk(path, rest)));
    else if (await isFile(path)) found.push(path);
  }
  return [...new Set(found)];
}

function matcherOf(part: string): RegExp {
  const source = part
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]");
  return new RegExp(`^${source}$`);
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
