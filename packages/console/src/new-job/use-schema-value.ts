import { useMemo, useState } from "react";
import { exactText, parseExact } from "../api/exact-json.ts";
import { checkValue } from "./check-value.ts";
import { fieldKind, type JsonSchema } from "./json-schema.ts";
import type { PayloadFieldsProps } from "./payload-fields.tsx";

export interface SchemaValue {
  /** What the form, or its JSON, says; null while that is not JSON. */
  readonly parsed: { readonly value: unknown } | null;
  /** What is wrong with it, by pointer. There is nothing to complain of before the first check. */
  readonly complaints: ReadonlyMap<string, string>;
  /** Whether it may be sent; from now on complaints are told. */
  readonly check: () => boolean;
  /** For the fields that edit it. */
  readonly fields: Omit<PayloadFieldsProps, "legend" | "complaints">;
}

const nothing: ReadonlyMap<string, string> = new Map();

/** A value that a person makes by a schema, as fields or as JSON. */
export function useSchemaValue(schema: JsonSchema, start: unknown): SchemaValue {
  const hasForm = fieldKind(schema) === "group";
  const [value, setValue] = useState(start);
  const [written, setWritten] = useState(() => exactText(start));
  const [isJson, setJson] = useState(!hasForm);
  const [isChecked, setChecked] = useState(false);
  const parsed = useMemo(() => (isJson ? parse(written) : { value }), [isJson, written, value]);
  const wrong = () => (parsed !== null && hasForm ? checkValue(parsed.value, schema) : nothing);
  return {
    parsed,
    complaints: isChecked ? wrong() : nothing,
    check: () => {
      setChecked(true);
      return parsed !== null && wrong().size === 0;
    },
    fields: {
      schema,
      value,
      written,
      isJson,
      isWrong: parsed === null,
      onValue: setValue,
      onWritten: setWritten,
      onJson: (asJson) => {
        if (asJson) setWritten(exactText(value));
        else if (parsed !== null) setValue(parsed.value);
        setJson(asJson);
      },
    },
  };
}

function parse(written: string): { readonly value: unknown } | null {
  try {
    return { value: parseExact(written) };
  } catch {
    return null;
  }
}
