import type { SeededRandom } from "./seeded-random.ts";

export type JsonSchema = { readonly [key: string]: unknown };

/** A value that a JSON Schema accepts, as far as the words of our own contract go. */
export function jsonSample(schema: JsonSchema, root: JsonSchema, random: SeededRandom, depth = 0): unknown {
  const target = resolved(schema, root);
  const sample = (inner: JsonSchema) => jsonSample(inner, root, random, depth + 1);
  if (target.const !== undefined) return target.const;
  if (Array.isArray(target.enum)) return random.pick(target.enum);
  for (const word of ["oneOf", "anyOf"]) {
    const choices = target[word];
    if (Array.isArray(choices)) return sample(random.pick(choices as JsonSchema[]));
  }
  if (Array.isArray(target.allOf)) {
    return Object.assign({}, ...(target.allOf as JsonSchema[]).map((part) => sample(part)));
  }
  const types = [target.type ?? "any"].flat() as string[];
  switch (random.pick(types)) {
    case "object":
      return objectSample(target, random, depth, sample);
    case "array": {
      const items = (target.items ?? {}) as JsonSchema;
      const length = Math.max(Number(target.minItems ?? 0), random.below(3));
      return Array.from({ length }, () => sample(items));
    }
    case "string":
      return textSample(target, random);
    case "integer":
      return Math.round(numberSample(target, random));
    case "number":
      return numberSample(target, random);
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    default:
      return anything(random, depth);
  }
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = schema.$ref;
  if (typeof reference !== "string") return schema;
  const path = reference.slice(2).split("/");
  const found = path.reduce<unknown>((place, name) => (place as JsonSchema | undefined)?.[name], root);
  return resolved((found ?? {}) as JsonSchema, root);
}

function objectSample(
  schema: JsonSchema,
  random: SeededRandom,
  depth: number,
  sample: (inner: JsonSchema) => unknown,
): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema.required ?? []) as string[];
  const isTaken = (name: string) => required.includes(name) || (depth < 4 && random.chance(0.3));
  const taken = Object.entries(properties).filter(([name]) => isTaken(name));
  return Object.fromEntries(taken.map(([name, inner]) => [name, sample(inner)]));
}

function numberSample(schema: JsonSchema, random: SeededRandom): number {
  const least = Number(schema.minimum ?? 0);
  const most = Math.min(Number(schema.maximum ?? least + 1_000), least + 1_000_000);
  return least + random.number() * (most - least);
}

function textSample(schema: JsonSchema, random: SeededRandom): string {
  switch (schema.format) {
    case "uuid":
      return random.uuid();
    case "date-time":
      return new Date(Date.UTC(2026, 10, 1) + random.below(1e10)).toISOString();
    case "uri":
      return "https://site.example/page";
    default: {
      const length = Math.max(Number(schema.minLength ?? 1), 1 + random.below(8));
      return Array.from({ length }, () => random.pick([..."abcdefghij0123456789-"])).join("");
    }
  }
}

function anything(random: SeededRandom, depth: number): unknown {
  const scalars = ["text", 7, 0.5, true, null];
  return depth > 3 || random.chance(0.6)
    ? random.pick(scalars)
    : { key: random.pick(scalars), list: [random.pick(scalars)] };
}
