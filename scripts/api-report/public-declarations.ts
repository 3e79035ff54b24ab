import { DeclarationFile, type Statement } from "../build/declaration-file.ts";

// Words of a documentation may change, and a private member is nothing that a caller sees.
const unseen = /^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n|^[ \t]*#private;\n/gm;
const seen = ({ text }: Statement) => text.replaceAll(unseen, "");

/**
 * Every declaration that the entries of a package export, and those that they name in turn, by file. What is named is found by its word
 * alone, so a property called like a type beside it brings that type along: rather one too many than one too few.
 */
export class PublicDeclarations {
  readonly #files = new Map<string, DeclarationFile>();
  /** The names that are reached, by file. */
  readonly #reached = new Map<string, Set<string>>();

  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#export(entry);
  }

  /** The statements of each file as they stand there. */
  byFile(): [path: string, statements: string[]][] {
    return [...this.#reached]
      .map(([path, names]): [string, string[]] => {
        const statements = [...this.#file(path).statements].filter(([name]) => names.has(name));
        return [path, statements.flatMap(([, all]) => all.map(seen))];
      })
      .filter(([, statements]) => statements.length > 0)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** The names that can be imported from an entry. */
  exportsOf(entry: string): string[] {
    const { exports, stars } = this.#file(entry);
    return [...exports.keys(), ...stars.flatMap((path) => this.exportsOf(path))].sort();
  }

  #export(path: string): void {
    const { exports, stars } = this.#file(path);
    for (const { name, from } of exports.values()) this.#reach(from, name, path);
    for (const star of stars) this.#export(star);
  }

  #reach(from: string, name: string, by: string): void {
    // Another package's: it has a report of its own, or another owner.
    if (!from.endsWith(".d.ts")) return;
    const file = this.#file(from);
    const statements = file.statements.get(name);
    if (statements === undefined) {
      const source = (from === by ? file.imports : file.exports).get(name) ?? file.imports.get(name);
      if (source !== undefined && (source.from !== from || source.name !== name)) {
        this.#reach(source.from, source.name, from);
      }
      return;
    }
    const names = this.#reached.get(from) ?? new Set();
    this.#reached.set(from, names);
    if (names.has(name)) return;
    names.add(name);
    for (const statement of statements) {
      for (const word of new Set(seen(statement).match(/[\w$]+/g))) {
        if (file.statements.has(word)) this.#reach(from, word, from);
        const source = file.imports.get(word);
        if (source !== undefined) this.#reach(source.from, source.name, from);
      }
      for (const source of file.inlineImports(statement)) this.#reach(source.from, source.name, from);
    }
  }

  #file(path: string): DeclarationFile {
    const file = this.#files.get(path) ?? new DeclarationFile(path);
    this.#files.set(path, file);
    return file;
  }
}
