/** Why a value cannot become JSON, and where in it, as a JSON pointer. */
export class JsonRefusal extends Error {
  readonly pointer: string;
  readonly isTooLarge: boolean;

  constructor(pointer: string, reason: string, options: { isTooLarge?: boolean; cause?: unknown } = {}) {
    super(reason, "cause" in options ? { cause: options.cause } : undefined);
    this.pointer = pointer;
    this.isTooLarge = options.isTooLarge ?? false;
  }
}

export interface JsonLimits {
  readonly limitBytes: number;
  readonly limitDepth: number;
  /** Payloads must come back as they were given; of an output, JSON may drop what it cannot carry. */
  readonly isStrict: boolean;
}

/**
 * Whether JSON.stringify can be given this value as it is. Nearly all values pass, so this looks at each
 * part once and explains nothing; `plainCopy` is for the rest.
 */
export function isPlainJson(value: unknown, limits: JsonLimits): boolean {
  return spend(value, limits.limitBytes, limits.limitDepth) >= 0;
}

// Returns what is left of the bytes, each part costing about what it will in JSON, or a negative number to
// refuse. The budget also ends values that grow by repetition, such as an array that holds another
// twice, which holds another twice.
function spend(value: unknown, leftBytes: number, leftDepth: number): number {
  switch (typeof value) {
    case "string":
      return leftBytes - value.length;
    case "number":
      return Number.isFinite(value) ? leftBytes - 1 : -1;
    case "boolean":
      return leftBytes - 4;
    case "undefined":
      return leftBytes;
    case "object":
      break;
    default:
      return -1;
  }
  if (value === null) return leftBytes - 4;
  if (leftDepth === 0) return -1;
  let left = leftBytes - 2;
  if (Array.isArray(value)) {
    if ("toJSON" in value) return -1;
    for (let index = 0; index < value.length && left >= 0; index++) {
      left = spend(value[index], left, leftDepth - 1) - 1;
    }
    return left;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value) return -1;
  for (const key of Object.keys(value)) {
    left = spend((value as Record<string, unknown>)[key], left - key.length, leftDepth - 1);
    if (left < 0) return -1;
  }
  return left;
}

/** The value as JSON.stringify would see it, made of plain parts only, or a JsonRefusal that says what is wrong. */
export function plainCopy(value: unknown, limits: JsonLimits): unknown {
  const copier = new PlainCopier(limits);
  return copier.copy(value, "", "", []);
}

class PlainCopier {
  readonly #limits: JsonLimits;
  #leftBytes: number;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
    this.#leftBytes = limits.limitBytes;
  }

  copy(given: unknown, key: string, pointer: string, ancestors: readonly unknown[]): unknown {
    const value = this.#unwrap(given, key, pointer);
    switch (typeof value) {
      case "string":
        this.#spend(value.length);
        return value;
      case "number":
        this.#spend(1);
        if (this.#limits.isStrict && !Number.isFinite(value)) {
          throw new JsonRefusal(pointer, `is ${value}, which JSON cannot carry`);
        }
        return value;
      case "boolean":
        this.#spend(4);
        return value;
      case "bigint":
        throw new JsonRefusal(pointer, "is a BigInt, which JSON cannot carry: give it as a string");
      case "undefined":
        return undefined;
      case "object":
        break;
      default:
        if (!this.#limits.isStrict && pointer !== "") return undefined;
        throw new JsonRefusal(pointer, `is a ${typeof value}, which JSON cannot carry`);
    }
    if (value === null) {
      this.#spend(4);
      return null;
    }
    return this.#copyObject(value, pointer, ancestors);
  }

  #copyObject(value: object, pointer: string, ancestors: readonly unknown[]): unknown {
    if (ancestors.includes(value)) throw new JsonRefusal(pointer, "refers back to a value that holds it");
    if (value instanceof Map || value instanceof Set || value instanceof Promise) {
      throw new JsonRefusal(pointer, `is a ${value.constructor.name}, which JSON would turn into {}`);
    }
    if (ancestors.length >= this.#limits.limitDepth) {
      throw new JsonRefusal(pointer, `is nested deeper than ${this.#limits.limitDepth} levels`);
    }
    this.#spend(2);
    const line = [...ancestors, value];
    if (Array.isArray(value)) {
      return Array.from(value, (item: unknown, index) => {
        const copied = this.copy(item, String(index), pointerTo(pointer, index), line);
        // A hole in an array is written "null".
        if (copied === undefined) this.#spend(4);
        return copied;
      });
    }
    // Without a prototype, a key named "__proto__" is a key like any other.
    const copied: Record<string, unknown> = Object.create(null);
    for (const key of Object.keys(value)) {
      const part = this.copy(this.#read(value, key, pointer), key, pointerTo(pointer, key), line);
      if (part === undefined) continue;
      this.#spend(key.length);
      copied[key] = part;
    }
    return copied;
  }

  /** What stands for the value: toJSON's answer, or the primitive in its box. */
  #unwrap(value: unknown, key: string, pointer: string): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Number || value instanceof String || value instanceof Boolean)
      return value.valueOf();
    const toJson = this.#read(value, "toJSON", pointer);
    if (typeof toJson !== "function") return value;
    try {
      return toJson.call(value, key);
    } catch (cause) {
      throw new JsonRefusal(pointer, "has a toJSON that throws", { cause });
    }
  }

  #read(value: object, key: string, pointer: string): unknown {
    try {
      return (value as Record<string, unknown>)[key];
    } catch (cause) {
      throw new JsonRefusal(pointerTo(pointer, key), "cannot be read", { cause });
    }
  }

  #spend(bytes: number): void {
    this.#leftBytes -= bytes;
    if (this.#leftBytes < 0) throw new JsonRefusal("", "is too large", { isTooLarge: true });
  }
}

/** The JSON pointer (RFC 6901) of a part. */
export function pointerTo(pointer: string, key: PropertyKey): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
