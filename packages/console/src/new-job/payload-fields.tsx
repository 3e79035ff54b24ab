import { text } from "../text/text.ts";
import { cn } from "../ui/cn.ts";
import { fieldKind, type JsonSchema } from "./json-schema.ts";
import { SchemaFields } from "./schema-field.tsx";

export interface PayloadFieldsProps {
  readonly legend: string;
  readonly schema: JsonSchema;
  readonly value: unknown;
  /** The same as JSON, while it is being written. */
  readonly written: string;
  readonly isJson: boolean;
  /** What is written is not JSON. */
  readonly isWrong: boolean;
  readonly complaints: ReadonlyMap<string, string>;
  readonly onValue: (value: unknown) => void;
  readonly onWritten: (written: string) => void;
  readonly onJson: (isJson: boolean) => void;
}

/** A payload, or a signal, as fields or as JSON; a schema without fields has JSON only. */
export function PayloadFields(props: PayloadFieldsProps) {
  const { legend, schema, value, written, isJson, isWrong, complaints, onValue, onWritten, onJson } = props;
  return (
    <fieldset className="space-y-3">
      <div className="flex items-center justify-between gap-4">
        <legend className="text-sm font-semibold">{legend}</legend>
        {fieldKind(schema) === "group" && (
          <div className="inline-flex rounded-md border border-edge/60 p-0.5">
            {[false, true].map((each) => (
              <button
                key={String(each)}
                type="button"
                aria-pressed={isJson === each}
                onClick={() => onJson(each)}
                className={cn(
                  "h-6 rounded px-2.5 text-xs",
                  isJson === each ? "bg-selected font-medium" : "text-muted",
                )}
              >
                {each ? text.newJob.asJson : text.newJob.asForm}
              </button>
            ))}
          </div>
        )}
      </div>
      {isJson ? (
        <div>
          <textarea
            aria-label={legend}
            aria-invalid={isWrong || undefined}
            rows={10}
            spellCheck={false}
            className="field w-full font-mono text-xs"
            value={written}
            onChange={(event) => onWritten(event.target.value)}
          />
          {isWrong && <p className="text-table text-danger">{text.newJob.notJson}</p>}
        </div>
      ) : (
        <SchemaFields
          schema={schema}
          value={value as Record<string, unknown>}
          onChange={onValue}
          complaints={complaints}
        />
      )}
    </fieldset>
  );
}
