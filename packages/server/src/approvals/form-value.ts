import { type FormSchema, fieldKind, labelOf, pointerTo, unwrapped } from "./schema-form.ts";

/** What was written into a field cannot be read as what it asks for. */
export class FormError extends Error {
  override readonly name = "FormError";
}

/** The value that a sent form means. What is missing or does not fit is the schema's to refuse. */
export function formValue(schema: FormSchema, form: URLSearchParams): unknown {
  return fieldValue(schema, form, "", "Your answer") ?? null;
}

function fieldValue(schema: FormSchema, form: URLSearchParams, pointer: string, label: string): unknown {
  const { plain, isNullable } = unwrapped(schema);
  const kind = fieldKind(plain);
  if (kind === "fixed") return plain.const;
  if (kind === "group") {
    const fields = Object.entries(plain.properties ?? {}).flatMap(([name, each]): [string, unknown][] => {
      const value = fieldValue(each, form, pointerTo(pointer, name), each.title ?? labelOf(name));
      return value === undefined ? [] : [[name, value]];
    });
    // The whole is always there; a group within it only if something of it was filled in.
    return fields.length > 0 || pointer === "" ? Object.fromEntries(fields) : undefined;
  }
  const written = form.get(pointer) ?? "";
  if (written.trim() === "") return isNullable ? null : undefined;
  if (kind === "text") return written;
  if (kind === "number") {
    const number = Number(written);
    if (Number.isFinite(number)) return number;
    throw new FormError(`${label}: this is not a number.`);
  }
  try {
    return JSON.parse(written);
  } catch {
    throw new FormError(`${label}: this is not JSON.`);
  }
}
