import { escaped } from "../pages/page.ts";

/** The part of JSON Schema that forms are made of. */
export interface FormSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly FormSchema[];
}

export type FieldKind = "text" | "number" | "yes-no" | "choice" | "fixed" | "group" | "json";

/** How a value is asked for. What has no field of its own is asked for as JSON. */
export function fieldKind(schema: FormSchema): FieldKind {
  if (schema.const !== undefined) return "fixed";
  if (schema.enum !== undefined) return "choice";
  if (schema.type === "string") return "text";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "boolean") return "yes-no";
  return schema.type === "object" && schema.properties !== undefined ? "group" : "json";
}

/** A value or null is asked for as the value; a field left empty then means null. */
export function unwrapped(schema: FormSchema): { readonly plain: FormSchema; readonly isNullable: boolean } {
  const others = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  const [only] = others;
  if (schema.anyOf !== undefined && others.length === 1 && only !== undefined) {
    const { anyOf: _, ...rest } = schema;
    return { plain: { ...rest, ...only }, isNullable: schema.anyOf.length > 1 };
  }
  const types = typeof schema.type === "string" ? [] : (schema.type ?? []).filter((type) => type !== "null");
  const [type] = types;
  if (types.length !== 1 || type === undefined) return { plain: schema, isNullable: false };
  return { plain: { ...schema, type }, isNullable: (schema.type?.length ?? 0) > 1 };
}

/** The fields of a form, by the JSON pointers of their values. `given` is what was sent before, if it was refused. */
export function formFields(schema: FormSchema, given: URLSearchParams | null): string {
  return field({ schema, given, pointer: "", label: "Your answer", isRequired: true });
}

interface Field {
  readonly schema: FormSchema;
  readonly given: URLSearchParams | null;
  readonly pointer: string;
  readonly label: string;
  readonly isRequired: boolean;
}

function field(one: Field): string {
  const { plain, isNullable } = unwrapped(one.schema);
  const kind = fieldKind(plain);
  const asked = { ...one, schema: plain, isRequired: one.isRequired && !isNullable };
  if (kind === "fixed") return "";
  if (kind === "group") return group(asked);
  if (kind === "yes-no")
    return radios(asked, [
      [true, "Yes"],
      [false, "No"],
    ]);
  if (kind === "choice")
    return radios(
      asked,
      (plain.enum ?? []).map((value) => [value, String(value)]),
    );
  const id = `field${escaped(one.pointer)}`;
  return `<div class="field"><label for="${id}">${escaped(one.label)}</label>${hint(plain)}${input(asked, kind, id)}</div>`;
}

function group({ schema, given, pointer, label, isRequired }: Field): string {
  const inner = Object.entries(schema.properties ?? {})
    // The database does not keep the order of a schema; what is decided comes before what is said about it.
    .toSorted(([, one], [, other]) => rank(one) - rank(other))
    .map(([name, each]) =>
      field({
        schema: each,
        given,
        pointer: pointerTo(pointer, name),
        label: each.title ?? labelOf(name),
        // Of a group that may be left out, nothing need be filled in.
        isRequired: isRequired && (schema.required?.includes(name) ?? false),
      }),
    )
    .join("\n");
  return pointer === ""
    ? inner
    : `<fieldset><legend>${escaped(label)}</legend>${hint(schema)}${inner}</fieldset>`;
}

function rank(schema: FormSchema): number {
  return ["yes-no", "choice"].includes(fieldKind(unwrapped(schema).plain)) ? 0 : 1;
}

/** None is chosen beforehand, unless the schema has a default: a decision is made, not left standing. */
function radios(one: Field, choices: readonly (readonly [value: unknown, label: string])[]): string {
  const { schema, pointer, label, isRequired } = one;
  const chosen = startText(one);
  const all = choices.map(([value, text]) => {
    const written = escaped(JSON.stringify(value));
    const isChosen = chosen === JSON.stringify(value);
    return `<label class="choice"><input type="radio" name="${escaped(pointer)}" value="${written}"${isRequired ? " required" : ""}${isChosen ? " checked" : ""}> ${escaped(text)}</label>`;
  });
  return `<fieldset><legend>${escaped(label)}</legend>${hint(schema)}${all.join("\n")}</fieldset>`;
}

function input(one: Field, kind: FieldKind, id: string): string {
  const { schema, pointer, isRequired } = one;
  const start = startText(one);
  const common = `id="${id}" name="${escaped(pointer)}"${isRequired ? " required" : ""}`;
  if (kind === "number") {
    const step = schema.type === "integer" ? "1" : "any";
    return `<input ${common} type="number" step="${step}"${limit("min", schema.minimum)}${limit("max", schema.maximum)} value="${escaped(start)}">`;
  }
  if (kind === "json" || (schema.maxLength ?? 0) > 200) {
    return `<textarea ${common} rows="4"${kind === "json" ? ' spellcheck="false"' : ""}>${escaped(start)}</textarea>${kind === "json" ? "<p>As JSON.</p>" : ""}`;
  }
  const type = schema.format === "email" ? "email" : schema.format === "uri" ? "url" : "text";
  return `<input ${common} type="${type}"${limit("minlength", schema.minLength)}${limit("maxlength", schema.maxLength)} autocomplete="off" value="${escaped(start)}">`;
}

/** What was sent before, otherwise the default. */
function startText({ schema, given, pointer }: Field): string {
  if (given !== null) return given.get(pointer) ?? "";
  if (schema.default === undefined) return "";
  return fieldKind(schema) === "text" ? String(schema.default) : JSON.stringify(schema.default);
}

function hint({ description }: FormSchema): string {
  return description === undefined ? "" : `<p>${escaped(description)}</p>`;
}

function limit(name: string, value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? "" : ` ${name}="${value}"`;
}

export function pointerTo(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** "startUrl" and "start_url" are read as "Start url". */
export function labelOf(name: string): string {
  const words = name
    .replace(/[_-]+/g, " ")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
