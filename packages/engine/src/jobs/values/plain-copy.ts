import { JsonRefusal, pointerTo } from "./json-refusal.ts";
import type { JsonLimits } from "./plain-json.ts";

/** The value as JSON.stringify would see it, made of plain parts only, or a JsonRefusal that says what is wrong. */
export function plainCopy(value: unknown, limits: JsonLimits): unknown {
  return new PlainCopier(limits).copy(value);
}

class PlainCopier {
  readonly #limits: JsonLimits;
  #leftBytes: number;
  // Where the copier stands. After a refusal they are left as they are, since nothing comes after it.
  readonly #ancestors: object[] = [];
  readonly #path: PropertyKey[] = [];

  constructor(limits: JsonLimits) {
    this.#limits = limits;
    this.#leftBytes = limits.limitBytes;
  }

  copy(value: unknown): unknown {
    try {
      return this.#copyPart(value, "");
    } catch (thrown) {
      if (thrown instanceof JsonRefusal) throw thrown;
      // A getter, a toJSON or a Proxy may throw at any touch.
      throw this.#refusal("cannot be read", thrown);
    }
  }

  #copyPart(given: unknown, key: string): unknown {
    const value = unwrapped(given, key);
    switch (typeof value) {
      case "string":
        this.#spend(value.length);
        return value;
      case "number":
        this.#spend(1);
        if (!this.#limits.losesNumbers && !Number.isFinite(value)) {
          throw this.#refusal(`is ${value}, which JSON cannot carry`);
        }
        return value;
      case "boolean":
        this.#spend(4);
        return value;
      case "undefined":
        return undefined;
      case "object":
        return value === null ? null : this.#copyObject(value);
      case "bigint":
        throw this.#refusal("is a BigInt, which JSON cannot carry: give it as a string");
      default:
        if (!this.#limits.isStrict && this.#path.length > 0) return undefined;
        throw this.#refusal(`is a ${typeof value}, which JSON cannot carry`);
    }
  }

  #copyObject(value: object): unknown {
    if (this.#ancestors.includes(value)) throw this.#refusal("refers back to a value that holds it");
    if (value instanceof Map || value instanceof Set || value instanceof Promise) {
      throw this.#refusal(`is a ${value.constructor.name}, which JSON would turn into {}`);
    }
    if (this.#ancestors.length >= this.#limits.limitDepth) {
      throw this.#refusal(`is nested deeper than ${this.#limits.limitDepth} levels`);
    }
    this.#spend(2);
    this.#ancestors.push(value);
    const copied = Array.isArray(value) ? this.#copyItems(value) : this.#copyProperties(value);
    this.#ancestors.pop();
    return copied;
  }

  #copyItems(items: readonly unknown[]): unknown[] {
    const copied: unknown[] = [];
    for (let index = 0; index < items.length; index++) {
      this.#path.push(index);
      // The comma, which is all that bounds an array of holes.
      if (index > 0) this.#spend(1);
      copied.push(this.#copyPart(items[index], String(index)));
      this.#path.pop();
    }
    return copied;
  }

  #copyProperties(value: object): object {
    // Without a prototype, a key named "__proto__" is a key like any other.
    const copied: Record<string, unknown> = Object.create(null);
    for (const key of Object.keys(value)) {
      this.#path.push(key);
      const part = this.#copyPart((value as Record<string, unknown>)[key], key);
      if (part !== undefined) {
        this.#spend(key.length);
        copied[key] = part;
      }
      this.#path.pop();
    }
    return copied;
  }

  #spend(bytes: number): void {
    this.#leftBytes -= bytes;
    if (this.#leftBytes < 0) throw new JsonRefusal("", "is too large", { isTooLarge: true });
  }

  #refusal(reason: string, cause?: unknown): JsonRefusal {
    return new JsonRefusal(
      this.#path.reduce<string>(pointerTo, ""),
      reason,
      cause === undefined ? {} : { cause },
    );
  }
}

/** What stands for the value in JSON: toJSON's answer, or the primitive in its box. */
function unwrapped(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, key) : value;
}
