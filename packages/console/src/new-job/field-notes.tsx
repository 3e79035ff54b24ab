import type { JsonSchema } from "./json-schema.ts";

export function Hint({ schema }: { readonly schema: JsonSchema }) {
  return schema.description === undefined ? null : <p className="text-xs text-muted">{schema.description}</p>;
}

export interface FieldNotesProps {
  readonly id: string;
  readonly schema: JsonSchema;
  readonly complaint: string | undefined;
}

/** What a field is for and, below it, what is wrong with its value. */
export function FieldNotes({ id, schema, complaint }: FieldNotesProps) {
  return (
    <div id={id}>
      <Hint schema={schema} />
      <Complaint complaint={complaint} />
    </div>
  );
}

export function Complaint({ complaint }: { readonly complaint: string | undefined }) {
  return complaint === undefined ? null : (
    <p data-complaint className="mt-0.5 text-table text-danger">
      {complaint}
    </p>
  );
}
