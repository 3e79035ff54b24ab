export interface JsonLimits {
  readonly limitBytes: number;
  readonly limitDepth: number;
  /** Payloads must come back as they were given; of an output, JSON may drop what it cannot carry. */
  readonly isStrict: boolean;
  /** NaN and Infinity become null. */
  readonly losesNumbers: boolean;
}

/**
 * Whether JSON.stringify can be given this value as it is. Nearly all values pass, so this looks at each
 * part once and explains nothing; `plainCopy` is for the rest.
 */
export function isPlainJson(value: unknown, limits: JsonLimits): boolean {
  return spend(value, limits.limitBytes, limits.limitDepth) >= 0;
}

// Returns what is left of the bytes, no part costing more than it will in JSON, or a negative number to
// refuse. (A property left out for being undefined costs its key, which only makes the copier look.) The budget also ends values that grow by repetition, such as an array that holds another
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
      left = spend(value[index], index === 0 ? left : left - 1, leftDepth - 1);
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
