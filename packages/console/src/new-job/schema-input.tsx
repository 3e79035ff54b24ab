import { type ReactNode, useState } from "react";
import { exactText, parseExact } from "../api/exact-json.ts";
import { text } from "../text/text.ts";
import type { JsonSchema } from "./json-schema.ts";

export interface SchemaInputProps {
  readonly kind: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly common: Record<string, string | boolean | undefined>;
}

/** Where one value is chosen or written, in the way that suits its schema. */
export function SchemaInput({ kind, schema, value, onChange, common }: SchemaInputProps): ReactNode {
  const example = schema.examples?.[0];
  const placeholder =
    typeof example === "string" || typeof example === "number" ? String(example) : undefined;
  if (kind === "choice") {
    const choices = schema.enum ?? [];
    return (
      <select
        {...common}
        className="field w-full"
        value={String(choices.indexOf(value))}
        onChange={(event) => onChange(choices[Number(event.target.value)])}
      >
        <option value="-1">{text.newJob.choose}</option>
        {choices.map((choice, index) => (
          <option key={String(choice)} value={index}>
            {String(choice)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "number" || kind === "whole") {
    return (
      <input
        {...common}
        type="number"
        step={kind === "whole" ? 1 : "any"}
        placeholder={placeholder}
        className="field w-full"
        value={typeof value === "number" && !Number.isNaN(value) ? value : ""}
        onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.valueAsNumber)}
      />
    );
  }
  if (kind === "json") return <JsonInput value={value} onChange={onChange} common={common} />;
  const isLong = (schema.maxLength ?? 0) > 200;
  const Tag = isLong ? "textarea" : "input";
  return (
    <Tag
      {...common}
      {...(isLong ? { rows: 4 } : { type: schema.format === "email" ? "email" : "text" })}
      placeholder={placeholder ?? (schema.format === "uri" ? "https://" : undefined)}
      autoComplete="off"
      className="field w-full"
      value={typeof value === "string" ? value : ""}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function JsonInput({ value, onChange, common }: Pick<SchemaInputProps, "value" | "onChange" | "common">) {
  const [written, setWritten] = useState(value === undefined ? "" : exactText(value));
  return (
    <textarea
      {...common}
      rows={4}
      spellCheck={false}
      className="field w-full font-mono text-xs"
      value={written}
      onChange={(event) => {
        setWritten(event.target.value);
        try {
          onChange(event.target.value.trim() === "" ? undefined : parseExact(event.target.value));
        } catch {
          // Half-written JSON: the last whole value stands, and the server will say what it lacks.
        }
      }}
    />
  );
}
