import { Plus, X } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { exactText, parseExact } from "../api/exact-json.ts";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { escaped } from "./check-value.ts";
import { fieldKind, fieldLabel, type JsonSchema, startValue, unwrapped } from "./json-schema.ts";

export interface SchemaFieldProps {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly pointer: string;
  readonly complaints: ReadonlyMap<string, string>;
  readonly isRequired: boolean;
}

/** One field of a form, whatever its schema asks for; a group holds fields of its own. */
export function SchemaField(props: SchemaFieldProps) {
  const { name, schema, value, onChange, pointer, complaints, isRequired } = props;
  const plain = unwrapped(schema);
  const kind = fieldKind(plain);
  const label = fieldLabel(name, plain);
  const id = useId();
  const complaint = complaints.get(pointer);

  if (kind === "group") {
    const group = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    return (
      <fieldset className="space-y-3 rounded-lg border px-3 pt-1 pb-3">
        <legend className="px-1 font-medium">{label}</legend>
        <SchemaFields
          schema={plain}
          value={group}
          onChange={onChange}
          pointer={pointer}
          complaints={complaints}
        />
      </fieldset>
    );
  }
  if (kind === "list") {
    const items = Array.isArray(value) ? value : [];
    return (
      <fieldset className="space-y-2">
        <legend className="font-medium">{label}</legend>
        <Hint schema={plain} />
        {items.map((item, index) => (
          <div key={index} className="flex items-start gap-1">
            <div className="flex-1">
              <SchemaField
                name={`${label} ${index + 1}`}
                schema={plain.items ?? {}}
                value={item}
                onChange={(next) => onChange(items.map((each, at) => (at === index ? next : each)))}
                pointer={`${pointer}/${index}`}
                complaints={complaints}
                isRequired
              />
            </div>
            <Button
              look="quiet"
              size="icon"
              className="mt-5.5"
              aria-label={text.newJob.removeItem(label, index + 1)}
              onClick={() => onChange(items.filter((_, at) => at !== index))}
            >
              <X size={15} aria-hidden />
            </Button>
          </div>
        ))}
        <Button size="small" onClick={() => onChange([...items, startValue(plain.items ?? {}) ?? ""])}>
          <Plus size={14} aria-hidden /> {text.newJob.addItem(label.toLowerCase())}
        </Button>
      </fieldset>
    );
  }
  const common = {
    id,
    "aria-invalid": complaint === undefined ? undefined : true,
    "aria-required": isRequired || undefined,
    "aria-describedby": `${id}-hint`,
  };
  if (kind === "yes-no") {
    return (
      <div>
        <label className="flex min-h-6 items-center gap-2.5" htmlFor={id}>
          <input
            {...common}
            type="checkbox"
            className="size-4 accent-(--primary)"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          <span className="font-medium">{label}</span>
        </label>
        <Below id={`${id}-hint`} schema={plain} complaint={complaint} />
      </div>
    );
  }
  return (
    <div>
      <label htmlFor={id} className="mb-1 flex items-baseline gap-2">
        <span className="font-medium">{label}</span>
        {isRequired && <span className="text-xs text-muted">{text.newJob.required}</span>}
      </label>
      <Input kind={kind} schema={plain} value={value} onChange={onChange} common={common} />
      <Below id={`${id}-hint`} schema={plain} complaint={complaint} />
    </div>
  );
}

export interface SchemaFieldsProps {
  readonly schema: JsonSchema;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Record<string, unknown>) => void;
  readonly pointer?: string;
  readonly complaints: ReadonlyMap<string, string>;
}

export function SchemaFields({ schema, value, onChange, pointer = "", complaints }: SchemaFieldsProps) {
  return Object.entries(schema.properties ?? {}).map(([name, each]) => (
    <SchemaField
      key={name}
      name={name}
      schema={each}
      value={value[name]}
      pointer={`${pointer}/${escaped(name)}`}
      complaints={complaints}
      isRequired={schema.required?.includes(name) ?? false}
      onChange={(next) => {
        const { [name]: _, ...rest } = value;
        // What was emptied is left out, not sent as nothing.
        onChange(next === undefined || next === "" ? rest : { ...value, [name]: next });
      }}
    />
  ));
}

interface InputProps {
  readonly kind: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly common: Record<string, string | boolean | undefined>;
}

function Input({ kind, schema, value, onChange, common }: InputProps): ReactNode {
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

function JsonInput({ value, onChange, common }: Pick<InputProps, "value" | "onChange" | "common">) {
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

function Hint({ schema }: { readonly schema: JsonSchema }) {
  return schema.description === undefined ? null : <p className="text-xs text-muted">{schema.description}</p>;
}

function Below({
  id,
  schema,
  complaint,
}: {
  readonly id: string;
  readonly schema: JsonSchema;
  readonly complaint: string | undefined;
}) {
  return (
    <div id={id}>
      <Hint schema={schema} />
      {complaint !== undefined && <p className="mt-0.5 text-table text-danger">{complaint}</p>}
    </div>
  );
}
