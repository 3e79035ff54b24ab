/** A statement of a declaration file, with the comment above it. */
export interface Statement {
  /** The comment's text, without its stars; "" where there is none. */
  readonly doc: string;
  readonly text: string;
}

/** Where a name of a file comes from: another file or package, under a name there. */
export interface Origin {
  readonly from: string;
  readonly name: string;
}

/**
 * A declaration file as the compiler writes it: every statement and every comment above one begins at the start of a line, and
 * no other line does but those that close a bracket.
 */
export class DeclarationFile {
  /** What it declares itself, by name; a function has a statement for each of its signatures. */
  readonly declared = new Map<string, Statement[]>();
  /** What it imports or hands on, by the name it has here. */
  readonly origins = new Map<string, Origin>();
  /** The names that it hands on or exports. */
  readonly exported: string[] = [];

  constructor(text: string) {
    let doc = "";
    for (const part of partsOf(text)) {
      if (part.startsWith("/**")) doc = textOf(part);
      else {
        this.#read({ doc, text: part });
        doc = "";
      }
    }
  }

  #read(statement: Statement): void {
    const [, keyword = "", list, from] =
      /^(import|export)(?: type)? \{([^}]*)\}(?: from "([^"]+)")?/.exec(statement.text) ?? [];
    if (list !== undefined) {
      for (const { name, as } of namesOf(list)) {
        if (from !== undefined) this.origins.set(as, { from, name });
        if (keyword === "export") this.exported.push(as);
      }
      return;
    }
    const [, isExported, name] =
      /^(export )?(?:declare )?(?:abstract )?(?:function|class|const|let|interface|type|enum) (\w+)/.exec(
        statement.text,
      ) ?? [];
    if (name === undefined) return;
    if (isExported !== undefined && !this.exported.includes(name)) this.exported.push(name);
    this.declared.set(name, [...(this.declared.get(name) ?? []), statement]);
  }
}

/** Statements and comments, in order. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let isInComment = false;
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("//")) continue;
    const isContinued = isInComment || /^[\s})\]]/.test(line);
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

function namesOf(list: string): { name: string; as: string }[] {
  return list
    .split(",")
    .map((entry) => /^(?:type )?(\w+)(?: as (\w+))?$/.exec(entry.trim()))
    .flatMap((found) => (found === null ? [] : [{ name: found[1] ?? "", as: found[2] ?? found[1] ?? "" }]));
}
