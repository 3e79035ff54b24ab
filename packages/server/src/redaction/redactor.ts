import { looksSecret, redactText, secretKeyPattern } from "lockstep/internal";
import { escaped, keysOf } from "./json-pointer.ts";

export const redacted = "[redacted]";

/** Whatever was handed in by callers and handlers; the rest of a job is ours. */
const foreign = ["payload", "outputs", "result", "progress", "error", "attempts", "effects", "streams"];

type Hides = (key: string, value: unknown) => boolean;
type Paths = readonly (readonly string[])[];
type OnHidden = (pointer: string, value: unknown) => void;

/** Hides parts of a job's data, by pointer and by key, and the passwords of URLs, in a copy. */
export class Redactor {
  readonly #paths: Paths;
  readonly #hides: Hides | null;

  constructor(pointers: readonly string[], keys: RegExp | null) {
    this.#paths = pointers.map(keysOf);
    this.#hides = keys === null ? null : hidesOf(keys);
  }

  /** A job, or a part of one under the names that a job has. What needs no change is not copied. */
  job<Part extends object>(part: Part): Part {
    let copy: Record<string, unknown> | null = null;
    for (const name of foreign) {
      if (!Object.hasOwn(part, name)) continue;
      const value = (part as Record<string, unknown>)[name];
      const shown = this.#without(value, below(this.#paths, name));
      if (shown === value) continue;
      copy ??= { ...part } as Record<string, unknown>;
      copy[name] = shown;
    }
    return (copy ?? part) as Part;
  }

  /** Without the passwords of the URLs in it. */
  text(text: string): string {
    return this.#hides === null ? text : redactText(text);
  }

  /** Where in a payload something is hidden: JSON pointers. */
  hiddenIn(payload: unknown): string[] {
    const pointers: string[] = [];
    this.#without(payload, below(this.#paths, "payload"), "", (pointer) => pointers.push(pointer));
    return pointers;
  }

  /** Where a payload has, in place of a value that would be hidden, the mark that stands for it. */
  marksIn(payload: unknown): string[] {
    const pointers: string[] = [];
    this.#without(payload, below(this.#paths, "payload"), "", (pointer, value) => {
      if (value === redacted || (typeof value === "string" && value.includes(`:${redacted}@`)))
        pointers.push(pointer);
    });
    return pointers;
  }

  /**
   * A payload's first characters, as text. Cut off, they cannot be read as JSON: where something in it could be hidden,
   * there is then no preview at all. A key always comes before its value, so what is cut off cannot reveal anything.
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
    const hides = this.#hides;
    if (hides !== null && partsIn(text).some(([key, value]) => hides(key, value))) return true;
    // It may be cut off within a URL's password, before the sign that ends it.
    if (this.text(`${text}@`) !== `${text}@`) return true;
    return this.#paths.some(
      ([root, ...path]) =>
        root === "payload" &&
        path.every((key) => key === "*" || /^\d+$/.test(key) || text.includes(JSON.stringify(key))),
    );
  }

  #without(value: unknown, paths: Paths, pointer = "", onHidden: OnHidden = () => {}): unknown {
    if (paths.some((path) => path.length === 0)) {
      if (value === null || value === undefined) return value;
      onHidden(pointer, value);
      return redacted;
    }
    if (typeof value === "string") {
      const shown = this.text(value);
      if (shown !== value || (this.#hides !== null && value.includes(`:${redacted}@`)))
        onHidden(pointer, value);
      return shown;
    }
    if (typeof value !== "object" || value === null || value instanceof Date) return value;
    if (Array.isArray(value)) return this.#arrayWithout(value, paths, pointer, onHidden);
    let copy: Record<string, unknown> | null = null;
    for (const [key, part] of Object.entries(value)) {
      const at = `${pointer}/${escaped(key)}`;
      const isSecret = part !== null && part !== "" && this.#hides?.(key, part) === true;
      if (isSecret) onHidden(at, part);
      const shown = isSecret ? redacted : this.#without(part, below(paths, key), at, onHidden);
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

  #arrayWithout(values: readonly unknown[], paths: Paths, pointer: string, onHidden: OnHidden): unknown {
    let copy: unknown[] | null = null;
    for (const [index, part] of values.entries()) {
      const shown = this.#without(part, below(paths, String(index)), `${pointer}/${index}`, onHidden);
      if (shown === part) continue;
      copy ??= [...values];
      copy[index] = shown;
    }
    return copy ?? values;
  }
}

/** By our own pattern a number is not a secret; a configured pattern hides whatever it names. */
function hidesOf(keys: RegExp): Hides {
  if (keys === secretKeyPattern) return looksSecret;
  // A global or sticky one would remember where it was.
  const pattern = new RegExp(keys.source, keys.flags.replace(/[gy]/g, ""));
  return (key) => pattern.test(key);
}

/** Finds possible keys in JSON text, which may be cut off, and the values that need not be hidden. */
function partsIn(text: string): [key: string, value: unknown][] {
  return [...text.matchAll(/("(?:[^"\\]|\\.)*")\s*:\s*(true|false|-?\d)?/g)].map(([, key = '""', value]) => [
    JSON.parse(key) as string,
    value === undefined ? value : (JSON.parse(value.replace("-", "")) as unknown),
  ]);
}

function below(paths: Paths, key: string): Paths {
  return paths.filter(([head]) => head === "*" || head === key).map((path) => path.slice(1));
}
