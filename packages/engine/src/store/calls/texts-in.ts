import { defaultSchema, inSchema } from "@lockstep/database";

/** The SQL texts of the stores, for the schema of one name. */
export type TextsOfSchema = (text: string) => string;

const known = new Map<string, TextsOfSchema>([[defaultSchema, (text) => text]]);

/** Each text is made once in the life of a process, however many engines send it; those of the usual name are as they are written. */
export function textsIn(schema: string): TextsOfSchema {
  const texts = known.get(schema) ?? keptTexts(schema);
  known.set(schema, texts);
  return texts;
}

function keptTexts(schema: string): TextsOfSchema {
  const made = new Map<string, string>();
  return (text) => {
    let own = made.get(text);
    if (own === undefined) {
      own = inSchema(text, schema);
      made.set(text, own);
    }
    return own;
  };
}
