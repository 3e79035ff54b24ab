import { Plus, X } from "lucide-react";
import { useId } from "react";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { Complaint, FieldNotes, Hint } from "./field-notes.tsx";
import { escaped } from "./json-pointer.ts";
import { fieldKind, fieldLabel, type JsonSchema, startValue, unwrapped } from "./json-schema.ts";
import { SchemaInput } from "./schema-input.tsx";

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
        <Complaint complaint={complaint} />
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
  if (kind === "list") return <ListField {...props} schema={plain} label={label} />;
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
        <FieldNotes id={`${id}-hint`} schema={plain} complaint={complaint} />
      </div>
    );
  }
  return (
    <div>
      <label htmlFor={id} className="mb-1 flex items-baseline gap-2">
        <span className="font-medium">{label}</span>
        {isRequired && <span className="text-xs text-muted">{text.newJob.required}</span>}
      </label>
      <SchemaInput kind={kind} schema={plain} value={value} onChange={onChange} common={common} />
      <FieldNotes id={`${id}-hint`} schema={plain} complaint={complaint} />
    </div>
  );
}

/** Values of one schema, as many as are wanted. */
function ListField(props: SchemaFieldProps & { readonly label: string }) {
  const { label, schema, value, onChange, pointer, complaints } = props;
  const items = Array.isArray(value) ? value : [];
  return (
    <fieldset className="space-y-2">
      <legend className="font-medium">{label}</legend>
      <Hint schema={schema} />
      <Complaint complaint={complaints.get(pointer)} />
      {items.map((item, index) => (
        <div key={index} className="flex items-start gap-1">
          <div className="flex-1">
            <SchemaField
              name={`${label} ${index + 1}`}
              schema={schema.items ?? {}}
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
      <Button size="small" onClick={() => onChange([...items, startValue(schema.items ?? {}) ?? ""])}>
        <Plus size={14} aria-hidden /> {text.newJob.addItem(label.toLowerCase())}
      </Button>
    </fieldset>
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
