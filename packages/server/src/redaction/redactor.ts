import { redactText } from "lockstep";
import { keysOf } from "./json-pointer.ts";

export const redacted = "[redacted]";

/** A URL that was cut off within what may be its password. */
const cutPassword = /:\/\/[^\s:/@"]*:[^\s/@"]*$/;

/** Whatever was handed in by callers and handlers; the rest of a job is ours. */
const foreign = ["payload", "outputs", "result", "progress", "error", "attempts", "effects"];

/** Hides parts of a job's data, by pointer and by key, and the passwords of URLs, in a copy. */
export class Redactor {
  readonly #paths: readonly (readonly string[])[];
  readonly #keys: RegExp | null;

  constructor(pointers: readonly string[], keys: RegExp | null) {
    this.#paths = pointers.map(keysOf);
    // A global or sticky one would remember where it was.
    this.#keys = keys === null ? null : new RegExp(keys.source, keys.flags.replace(/[gy]/g, ""));
  }

  /** A job, or a part of one under the names that a job has. What needs no change is not copied. */
  job<Part extends object>(part: Part): Part {
    let copy: Record<string, unknown> | null = null;
    for (const name of foreign) {
      if (!Object.hasOwn(part, name)) continue;
      const value = (part as Record<string, unknown>)[name];
      const paths = this.#paths.filter(([root]) => root === name).map((path) => path.slice(1));
      const shown = this.#without(value, paths);
      if (shown === value) continue;
      copy ??= { ...part } as Record<string, unknown>;
      copy[name] = shown;
    }
    return (copy ?? part) as Part;
  }

  /** Without the passwords of the URLs in it. */
  text(text: string): string {
    return this.#keys === null ? text : redactText(text);
  }

  /**
   * A payload's first characters, as text. Cut off, they cannot be read as JSON: where something in it could be hidden,
   * there is then no preview at all. A key always stands before its value, so what is cut off cannot betray anything.
   */
  preview(text: string | null): string | null {
    if (text === null || !this.#couldHide(text)) return text;
    try {
      return JSON.stringify(this.job({ payload: JSON.parse(text) as unknown }).payload);
    } catch {
      return null;
    }
  }

  #couldHide(text: string): boolean {
    if (this.#keys !== null && keysIn(text).some((key) => this.#keys?.test(key))) return true;
    if (this.text(text) !== text || (this.#keys !== null && cutPassword.test(text))) return true;
    return this.#paths.some(
      ([root, ...path]) =>
        root === "payload" &&
        path.every((key) => key === "*" || /^\d+$/.test(key) || text.includes(JSON.stringify(key))),
    );
  }

  #without(value: unknown, paths: readonly (readonly string[])[]): unknown {
    if (paths.some((path) => path.length === 0))
      return value === null || value === undefined ? value : redacted;
    if (typeof value === "string") return this.text(value);
    if (typeof value !== "object" || value === null || value instanceof Date) return value;
    if (Array.isArray(value)) return this.#arrayWithout(value, paths);
    let copy: Record<string, unknown> | null = null;
    for (const [key, part] of Object.entries(value)) {
      const isSecret = part !== null && part !== "" && this.#keys?.test(key) === true;
      const shown = isSecret ? redacted : this.#without(part, below(paths, key));
      if (shown === part) continue;
      // Not by assignment to a literal: a key may be "__proto__".
      copy ??= Object.defineProperties({}, Object.getOwnPropertyDescriptors(value)) as Record<
        string,
        unknown
      >;
      Object.defineProperty(copy, key, {
        value: shown,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy ?? value;
  }

  #arrayWithout(values: readonly unknown[], paths: readonly (readonly string[])[]): unknown {
    let copy: unknown[] | null = null;
    for (const [index, part] of values.entries()) {
      const shown = this.#without(part, below(paths, String(index)));
      if (shown === part) continue;
      copy ??= [...values];
      copy[index] = shown;
    }
    return copy ?? values;
  }
}

/** What in a text of JSON, be it cut off, may be a key. */
function keysIn(text: string): string[] {
  return [...text.matchAll(/("(?:[^"\\]|\\.)*")\s*:/g)].map(([, key = '""']) => JSON.parse(key) as string);
}

function below(paths: readonly (readonly string[])[], key: string): (readonly string[])[] {
  return paths.filter(([head]) => head === "*" || head === key).map((path) => path.slice(1));
}
