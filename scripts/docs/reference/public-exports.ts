import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { DeclarationFile, type Statement } from "../../build/declaration-file.ts";

/** Something that a package exports. */
export interface PublicExport {
  readonly name: string;
  /** Where its source is, such as "engine/src/jobs/adding/dedup". */
  readonly place: string;
  readonly statements: readonly Statement[];
  /** The classes and interfaces that it has members of, and that the package does not export itself. */
  readonly bases: readonly { readonly name: string; readonly statements: readonly Statement[] }[];
}

interface Found {
  readonly path: string;
  readonly name: string;
  readonly statements: readonly Statement[];
}

/** Follows the names of packages through the declaration files in a folder, which lie there as their sources do in `packages`. */
export class PublicExports {
  readonly #folder: string;
  readonly #folderOf: Readonly<Record<string, string>>;
  readonly #files = new Map<string, DeclarationFile>();

  constructor(folder: string, folderOf: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#folderOf = folderOf;
  }

  of(packageName: string): PublicExport[] {
    const entry = this.#entryOf(packageName);
    const names = [...this.#file(entry).exports.keys()];
    return names.map((name) => {
      const found = this.#find(entry, name);
      if (found === null) throw new Error(`${packageName} exports ${name}, which is declared nowhere.`);
      return {
        name,
        place: relative(this.#folder, found.path).replace(/\.d\.ts$/, ""),
        statements: found.statements,
        bases: this.#basesOf(found, names),
      };
    });
  }

  #basesOf({ path, statements }: Found, exported: readonly string[]): PublicExport["bases"] {
    const [, list = ""] =
      /^[^\n]*?(?:class|interface) \w+(?:<[^{]*>)? extends ([\w, ]+)/.exec(statements[0]?.text ?? "") ?? [];
    return list
      .split(/, | implements /)
      .map((name) => name.trim())
      .filter((name) => name !== "" && !exported.includes(name))
      .flatMap((name) => {
        const base = this.#find(path, name);
        if (base === null) return []; // such as Error
        return [{ name, statements: base.statements }, ...this.#basesOf(base, exported)];
      });
  }

  /** Where a name that a file uses is declared; null for what is of the language or of somebody else. */
  #find(path: string, name: string): Found | null {
    const file = this.#file(path);
    const statements = file.statements.get(name);
    if (statements !== undefined) return { path, name, statements };
    // What a file both imports and exports is found by its import.
    const source = file.imports.get(name) ?? file.exports.get(name);
    if (source === undefined) return null;
    const target = this.#resolve(source.from);
    return target === null ? null : this.#find(target, source.name);
  }

  #resolve(from: string): string | null {
    if (from.endsWith(".d.ts")) return from;
    const [, name = "", entry = "index"] = /^(@?[\w-]+(?:\/[\w-]+)??)(?:\/(internal))?$/.exec(from) ?? [];
    return name in this.#folderOf ? this.#entryOf(name, entry) : null;
  }

  #entryOf(packageName: string, entry = "index"): string {
    return join(this.#folder, this.#folderOf[packageName] ?? "", "src", `${entry}.d.ts`);
  }

  #file(path: string): DeclarationFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    if (!existsSync(path)) throw new Error(`There is no declaration file ${relative(this.#folder, path)}.`);
    const file = new DeclarationFile(path);
    this.#files.set(path, file);
    return file;
  }
}
