import { InvalidJobIdError } from "../results/result-errors.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id as PostgreSQL writes it. Anything that is not an id is refused with a sentence, before PostgreSQL is asked. */
export function checkedJobId(id: unknown): string {
  const text = String(id).toLowerCase();
  if (!uuid.test(text)) throw new InvalidJobIdError(id);
  return text;
}
