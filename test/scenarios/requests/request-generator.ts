import { spoilt, strangeBody, strangeTexts } from "./garbage.ts";
import { type JsonSchema, jsonSample } from "./json-sample.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** The parts of an OpenAPI document that are read here. */
export interface ApiDocument extends JsonSchema {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Record<string, { readonly schema: JsonSchema }> };
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface GeneratedRequest {
  readonly method: string;
  /** With its query, below the base address. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

const methods = ["get", "post", "put", "patch", "delete", "head", "options"];

/** Requests for every route of an API: some as its document wants them, some spoilt in one place, some mere garbage. */
export class RequestGenerator {
  readonly #document: ApiDocument;
  readonly #random: SeededRandom;
  readonly #base: string;
  readonly #operations: { path: string; method: string; operation: Operation }[];
  /** By the names of parameters what makes sense there, so that not every request ends at "not found". */
  readonly #known: Readonly<Record<string, readonly string[]>>;

  constructor(
    document: ApiDocument,
    random: SeededRandom,
    known: Readonly<Record<string, readonly string[]>>,
  ) {
    this.#document = document;
    this.#random = random;
    this.#base = document.servers[0]?.url ?? "";
    this.#known = known;
    this.#operations = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method]) => methods.includes(method))
        .map(([method, operation]) => ({ path, method, operation })),
    );
  }

  next(): GeneratedRequest {
    const random = this.#random;
    const { path, method, operation } = random.pick(this.#operations);
    const isGarbage = random.chance(0.35);
    return {
      method: (random.chance(0.05) ? random.pick(methods) : method).toUpperCase(),
      path: this.#base + this.#path(path, operation, isGarbage) + this.#query(operation, isGarbage),
      ...this.#body(operation, isGarbage),
    };
  }

  #path(path: string, operation: Operation, isGarbage: boolean): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = operation.parameters?.find((one) => one.in === "path" && one.name === name);
      return encoded(this.#value(name, parameter?.schema ?? {}, isGarbage));
    });
    return this.#random.chance(0.03) ? `${filled}/${encoded(this.#random.pick(strangeTexts))}` : filled;
  }

  #query(operation: Operation, isGarbage: boolean): string {
    const random = this.#random;
    const given = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === "query" && (parameter.required || random.chance(0.5)))
      .map(({ name, schema }) => `${encoded(name)}=${encoded(this.#value(name, schema, isGarbage))}`);
    if (isGarbage && random.chance(0.3)) given.push(`extra=${encoded(random.pick(strangeTexts))}`);
    return given.length === 0 ? "" : `?${given.join("&")}`;
  }

  #value(name: string, schema: JsonSchema, isGarbage: boolean): string {
    const random = this.#random;
    if (isGarbage && random.chance(0.5)) return random.pick(strangeTexts);
    const known = this.#known[name];
    if (known !== undefined && random.chance(0.85)) return random.pick(known);
    const value = jsonSample(schema, this.#document, random);
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  #body(operation: Operation, isGarbage: boolean): Pick<GeneratedRequest, "headers" | "body"> {
    const random = this.#random;
    const headers: Record<string, string> = { accept: "application/json" };
    if (random.chance(0.15))
      headers["idempotency-key"] = random.pick(["k1", "k2", "x".repeat(300), "ä", " "]);
    if (random.chance(0.15)) headers["if-match"] = random.pick(['"abc"', "*", "W/", '""', "1, 2"]);
    if (random.chance(0.05)) headers.prefer = random.pick(["wait=0", "wait=-1", "wait=x", "respond-async"]);
    if (random.chance(0.05)) headers["last-event-id"] = random.pick(["1_1:1:_", "x", "start"]);
    const schema = operation.requestBody?.content?.["application/json"]?.schema;
    if (schema === undefined && random.chance(0.9)) return { headers, body: null };
    headers["content-type"] = random.chance(0.93)
      ? "application/json"
      : random.pick(["text/plain", "application/xml", "application/json; charset=latin1", ""]);
    if (isGarbage && random.chance(0.3)) return { headers, body: strangeBody(random) };
    const sample = this.#named(jsonSample(schema ?? {}, this.#document, random));
    return { headers, body: JSON.stringify(isGarbage ? spoilt(sample, random) : sample) ?? "" };
  }

  /** A pipeline that exists, most of the time. */
  #named(sample: unknown): unknown {
    if (typeof sample !== "object" || sample === null || !("pipeline" in sample)) return sample;
    return this.#random.chance(0.8) ? { ...sample, pipeline: "letters" } : sample;
  }
}

function encoded(text: string): string {
  // Some come percent-encoded already, and wrongly: they are sent as they are.
  if (/%/.test(text)) return text;
  return encodeURIComponent(text.toWellFormed());
}
