import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A name, and where it comes from: a file beside this one, or a package. */
interface Source {
  readonly name: string;
  readonly from: string;
}

// Words of a documentation may change, and a map or a private member is nothing that a caller sees.
const unseen = /^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n|^\/\/# sourceMappingURL=.*$|^[ \t]*#private;\n/gm;
const declared =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:class|function|const|let|enum|interface|type|namespace) ([\w$]+)/;
const listed = /^(import|export) (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;$/;
const whole = /^import (?:type )?(?:\* as )?([\w$]+) from "([^"]+)";$/;
const star = /^export \* from "([^"]+)";$/;

/** What a declaration file of the compiler holds: each statement begins at the start of a line. */
export class DeclarationFile {
  readonly path: string;
  /** By name; overloads are several. */
  readonly statements = new Map<string, string[]>();
  readonly imports = new Map<string, Source>();
  readonly exports = new Map<string, Source>();
  readonly stars: string[] = [];

  constructor(path: string) {
    this.path = path;
    const text = readFileSync(path, "utf8").replaceAll(unseen, "");
    for (const statement of text.split(/\n(?=[a-z/])/)) this.#take(statement.trim());
  }

  #take(statement: string): void {
    const [, name] = declared.exec(statement) ?? [];
    const [, word, names, from] = listed.exec(statement) ?? [];
    const [, binding, origin] = whole.exec(statement) ?? [];
    const [, all] = star.exec(statement) ?? [];
    if (name !== undefined) {
      this.statements.set(name, [...(this.statements.get(name) ?? []), statement]);
      if (statement.startsWith("export ")) this.exports.set(name, { name, from: this.path });
    } else if (names !== undefined) {
      const into = word === "import" ? this.imports : this.exports;
      for (const [name, alias] of namesIn(names)) {
        into.set(alias, { name, from: from === undefined ? this.path : this.#placeOf(from) });
      }
    } else if (binding !== undefined && origin !== undefined) {
      this.imports.set(binding, { name: binding, from: this.#placeOf(origin) });
    } else if (all !== undefined) {
      this.stars.push(this.#placeOf(all));
    } else if (!/^(|import "[^"]+";|"use client";|\/\/.*)$/.test(statement)) {
      throw new Error(`${this.path} has a statement that the report cannot read: ${statement}`);
    }
  }

  #placeOf(specifier: string): string {
    return specifier.startsWith(".")
      ? join(dirname(this.path), specifier.replace(/\.js$/, ".d.ts"))
      : specifier;
  }

  /** Files that a statement names in its middle, as `import("./x.js").Name`. */
  inlineImports(statement: string): Source[] {
    return [...statement.matchAll(/import\("([^"]+)"\)\.([\w$]+)/g)].map(([, from = "", name = ""]) => ({
      name,
      from: this.#placeOf(from),
    }));
  }
}

/** [original, alias] of `A, type B as C`. */
function namesIn(list: string): [string, string][] {
  return list
    .split(",")
    .map((part) => part.trim().replace(/^type /, ""))
    .filter((part) => part !== "")
    .map((part) => {
      const [original = "", alias = original] = part.split(" as ");
      return [original, alias];
    });
}
