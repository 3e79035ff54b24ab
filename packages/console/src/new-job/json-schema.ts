import { escaped } from "./json-pointer.ts";

/** The part of JSON Schema (draft 2020-12) that forms are made of. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly examples?: readonly unknown[];
}

export type FieldKind = "text" | "number" | "whole" | "yes-no" | "choice" | "list" | "group" | "json";

/** How a value of this schema is asked for. What has no form of its own is asked for as JSON. */
export function fieldKind(schema: JsonSchema): FieldKind {
  const plain = unwrapped(schema);
  if (plain.enum !== undefined) return "choice";
  if (plain.type === "string") return "text";
  if (plain.type === "integer") return "whole";
  if (plain.type === "number") return "number";
  if (plain.type === "boolean") return "yes-no";
  if (plain.type === "object" && plain.properties !== undefined) return "group";
  if (plain.type === "array" && plain.items !== undefined && isSimple(plain.items)) return "list";
  return "json";
}

/** A value or null is asked for as the value. */
export function unwrapped(schema: JsonSchema): JsonSchema {
  const choices = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  if (choices.length === 1 && choices[0] !== undefined) {
    const { anyOf: _, ...rest } = schema;
    return { ...rest, ...choices[0] };
  }
  const types = typeof schema.type === "string" ? [] : (schema.type ?? []).filter((type) => type !== "null");
  return types.length === 1 && types[0] !== undefined ? { ...schema, type: types[0] } : schema;
}

export function isNullable(schema: JsonSchema): boolean {
  const isNull = ({ type }: JsonSchema) => type === "null" || (Array.isArray(type) && type.includes("null"));
  return isNull(schema) || (schema.anyOf?.some(isNull) ?? false);
}

/** What a form begins with. */
export function startValue(schema: JsonSchema): unknown {
  const plain = unwrapped(schema);
  if (plain.default !== undefined) return plain.default;
  if (plain.const !== undefined) return plain.const;
  if (fieldKind(plain) === "group") {
    const required = new Set(plain.required ?? []);
    const entries = Object.entries(plain.properties ?? {}).flatMap(([name, each]): [string, unknown][] => {
      const value = startValue(each);
      return value !== undefined && (required.has(name) || each.default !== undefined) ? [[name, value]] : [];
    });
    return Object.fromEntries(entries);
  }
  if (fieldKind(plain) === "yes-no") return false;
  return fieldKind(plain) === "list" ? [] : undefined;
}

/** Where a form of this schema has a place for a complaint: JSON pointers. */
export function fieldPointers(schema: JsonSchema, value: unknown, pointer = ""): string[] {
  const plain = unwrapped(schema);
  const kind = fieldKind(plain);
  if (kind === "group") {
    const fields = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    const inner = Object.entries(plain.properties ?? {}).flatMap(([name, each]) =>
      fieldPointers(each, fields[name], `${pointer}/${escaped(name)}`),
    );
    // The whole payload has no frame of its own.
    return pointer === "" ? inner : [pointer, ...inner];
  }
  if (kind === "list" && Array.isArray(value)) {
    const items = value.flatMap((item, index) =>
      fieldPointers(plain.items ?? {}, item, `${pointer}/${index}`),
    );
    return [pointer, ...items];
  }
  return [pointer];
}

function isSimple(schema: JsonSchema): boolean {
  return ["text", "number", "whole", "choice"].includes(fieldKind(schema));
}

/** "startUrl" and "start_url" are read as "Start url". */
export function fieldLabel(name: string, schema: JsonSchema): string {
  if (schema.title !== undefined) return schema.title;
  const words = name
    .replace(/[_-]+/g, " ")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
