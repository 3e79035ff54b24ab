import { text } from "../text/text.ts";
import { escaped } from "./json-pointer.ts";
import { fieldKind, isNullable, type JsonSchema, unwrapped } from "./json-schema.ts";

/** What is wrong with a value, by JSON pointer. The server has the last word; this one answers while one types. */
export function checkValue(value: unknown, schema: JsonSchema, pointer = ""): Map<string, string> {
  const plain = unwrapped(schema);
  if (value === undefined || value === "") return new Map([[pointer, text.newJob.needed]]);
  if (value === null) return isNullable(schema) ? new Map() : new Map([[pointer, text.newJob.needed]]);
  const kind = fieldKind(plain);
  if (kind === "group") return checkGroup(value, plain, pointer);
  if (kind === "list") {
    const items = Array.isArray(value) ? value : [];
    return merged(items.map((item, index) => checkValue(item, plain.items ?? {}, `${pointer}/${index}`)));
  }
  const complaint = complaintAbout(value, plain, kind);
  return complaint === null ? new Map() : new Map([[pointer, complaint]]);
}

function checkGroup(value: unknown, schema: JsonSchema, pointer: string): Map<string, string> {
  const fields = (typeof value === "object" ? value : {}) as Record<string, unknown>;
  const required = new Set(schema.required ?? []);
  return merged(
    Object.entries(schema.properties ?? {}).map(([name, each]) => {
      const isLeftOut = fields[name] === undefined || fields[name] === "";
      if (isLeftOut && !required.has(name)) return new Map();
      return checkValue(fields[name], each, `${pointer}/${escaped(name)}`);
    }),
  );
}

function complaintAbout(value: unknown, schema: JsonSchema, kind: string): string | null {
  if (kind === "number" || kind === "whole") {
    if (typeof value !== "number" || Number.isNaN(value)) return text.newJob.notNumber;
    if (kind === "whole" && !Number.isInteger(value)) return text.newJob.notWhole;
    if (schema.minimum !== undefined && value < schema.minimum) return text.newJob.tooSmall(schema.minimum);
    if (schema.maximum !== undefined && value > schema.maximum) return text.newJob.tooLarge(schema.maximum);
  }
  if (kind === "text" && typeof value === "string") {
    if (schema.minLength !== undefined && value.length < schema.minLength) {
      return text.newJob.tooShort(schema.minLength);
    }
    if (schema.maxLength !== undefined && value.length > schema.maxLength)
      return text.newJob.tooLong(schema.maxLength);
    if (schema.format === "uri" && !URL.canParse(value)) return text.newJob.notUrl;
    if (schema.format === "email" && !/^\S+@\S+\.\S+$/.test(value)) return text.newJob.notEmail;
    if (schema.pattern !== undefined && !matches(value, schema.pattern)) return text.newJob.noMatch;
  }
  return null;
}

/** A pattern of another dialect is left to the server. */
function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

function merged(maps: readonly Map<string, string>[]): Map<string, string> {
  return new Map(maps.flatMap((map) => [...map]));
}
