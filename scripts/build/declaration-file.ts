import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A statement of a declaration file, with the comment above it. */
export interface Statement {
  /** The comment's text, without its stars; "" where there is none. */
  readonly doc: string;
  readonly text: string;
}

/** A name, and where it comes from: a declaration file, or a package. */
export interface Source {
  readonly name: string;
  readonly from: string;
}

const declared =
  /^(export )?(?:default )?(?:declare )?(?:abstract )?(?:class|function|const|let|enum|interface|type|namespace) ([\w$]+)/;
const listed = /^(import|export) (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;$/;
const whole = /^import (?:type )?(?:\* as )?([\w$]+) from "([^"]+)";$/;
const star = /^export \* from "([^"]+)";$/;
const saysNothing = /^(import "[^"]+";|"use client";)$/;

/**
 * A declaration file as the compiler writes it: every statement and every comment above one begins at the start of a line, and
 * no other line does but those that close a bracket.
 */
export class DeclarationFile {
  readonly path: string;
  /** What it declares itself, by name; a function has a statement for each of its signatures. */
  readonly statements = new Map<string, Statement[]>();
  /** By the name that each has here. */
  readonly imports = new Map<string, Source>();
  readonly exports = new Map<string, Source>();
  /** The files that it hands on as they are. */
  readonly stars: string[] = [];

  constructor(path: string, content = readFileSync(path, "utf8")) {
    this.path = path;
    let doc = "";
    for (const part of partsOf(content)) {
      if (part.startsWith("/**")) doc = textOf(part);
      else {
        this.#take({ doc, text: part });
        doc = "";
      }
    }
  }

  #take(statement: Statement): void {
    const { text } = statement;
    const [, isExported, name] = declared.exec(text) ?? [];
    const [, word, names, from] = listed.exec(text) ?? [];
    const [, binding, origin] = whole.exec(text) ?? [];
    const [, all] = star.exec(text) ?? [];
    if (name !== undefined) {
      this.statements.set(name, [...(this.statements.get(name) ?? []), statement]);
      if (isExported !== undefined) this.exports.set(name, { name, from: this.path });
    } else if (names !== undefined) {
      const into = word === "import" ? this.imports : this.exports;
      for (const [name, alias] of namesIn(names)) {
        into.set(alias, { name, from: from === undefined ? this.path : this.#placeOf(from) });
      }
    } else if (binding !== undefined && origin !== undefined) {
      this.imports.set(binding, { name: binding, from: this.#placeOf(origin) });
    } else if (all !== undefined) {
      this.stars.push(this.#placeOf(all));
    } else if (!saysNothing.test(text)) {
      throw new Error(`${this.path} has a statement that this cannot read: ${text}`);
    }
  }

  #placeOf(specifier: string): string {
    return specifier.startsWith(".")
      ? join(dirname(this.path), specifier.replace(/\.[jt]sx?$/, ".d.ts"))
      : specifier;
  }

  /** Files that a statement names in its middle, as `import("./x.js").Name`. */
  inlineImports({ text }: Statement): Source[] {
    return [...text.matchAll(/import\("([^"]+)"\)\.([\w$]+)/g)].map(([, from = "", name = ""]) => ({
      name,
      from: this.#placeOf(from),
    }));
  }
}

/** Statements and comments, in order. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let isInComment = false;
  for (const line of text.split("\n")) {
    if (!isInComment && (line === "" || line.startsWith("//"))) continue;
    const isContinued = isInComment || /^[\s{})\]|&]/.test(line);
    if (isContinued && !isInComment && parts.at(-1)?.startsWith("/*")) {
      // A comment within a union, which the compiler puts at the start of a line.
      const comment = parts.pop();
      parts.push(`${parts.pop()}\n${comment}\n${line}`);
    } else if (isContinued) parts.push(`${parts.pop()}\n${line}`);
    else parts.push(line);
    if (!isContinued && line.startsWith("/*")) isInComment = true;
    if (line.includes("*/")) isInComment = false;
  }
  return parts;
}

function textOf(comment: string): string {
  return comment
    .replace(/^\/\*\*|\*\/$/g, "")
    .replace(/^\s*\* ?/gm, "")
    .trim();
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
