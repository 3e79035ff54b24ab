import { z } from "zod";

// A variable's rule continues the sentence "The environment variable NAME …": "must be a whole number from 1 to 10".

const longestShown = 40;

/** Any text that is not empty, unless `isAllowed` says otherwise. An error quotes what the variable was set to. */
export function text(rule: string, isAllowed: (value: string) => boolean = () => true): z.ZodType<string> {
  return checked(rule, isAllowed, (value) => `${rule}, not "${value.slice(0, longestShown)}"`);
}

/** Like `text`, for keys and passwords, and for addresses that contain them: no error shows the value. */
export function secret(rule: string, isAllowed: (value: string) => boolean = () => true): z.ZodType<string> {
  return checked(rule, isAllowed, () => `${rule} (its value is not shown, because it may be a secret)`);
}

function checked(
  rule: string,
  isAllowed: (value: string) => boolean,
  refusal: (value: string) => string,
): z.ZodType<string> {
  return z
    .string({ error: `is not set; it ${rule}` })
    .refine(isAllowed, { error: ({ input }) => refusal(String(input)) });
}

export function wholeNumber({ least, most }: { readonly least: number; readonly most: number }) {
  return text(`must be a whole number from ${least} to ${most}`, (value) => {
    const number = Number(value);
    return Number.isInteger(number) && number >= least && number <= most;
  }).transform(Number);
}

export function oneOf<const Choice extends string>(...choices: readonly Choice[]) {
  const quoted = choices.map((choice) => `"${choice}"`);
  const rule = `must be ${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return text(rule, (value) => choices.some((choice) => choice === value)).transform(
    (value) => value as Choice,
  );
}

/** An http or https address, without a slash at its end. */
export function webAddress(example: string) {
  const rule = `must be an address such as ${example}`;
  return checked(
    rule,
    (value) => /^https?:\/\//.test(value),
    (value) => `${rule}, not "${withoutCredentials(value).slice(0, longestShown)}"`,
  ).transform((value) => value.replace(/\/$/, ""));
}

/** A password may stand before the "@" of an address, a key behind its "?". */
function withoutCredentials(address: string): string {
  return address.replace(/^.*@/, "…@").replace(/\?.*$/, "?…");
}

/** Entries separated by commas or spaces; none if it is not set. */
export function list(rule = "", isAllowed: (entry: string) => boolean = () => true) {
  return z
    .string()
    .default("")
    .transform((value) => value.split(/[\s,]+/).filter((entry) => entry !== ""))
    .superRefine((entries, context) => {
      const wrong = entries.find((entry) => !isAllowed(entry));
      if (wrong === undefined) return;
      context.addIssue({ code: "custom", message: `${rule}, not "${wrong.slice(0, longestShown)}"` });
    });
}

/** Null if it is not set. */
export function orNull<Value>(variable: z.ZodType<Value>) {
  return variable.nullable().default(null);
}

export const port = wholeNumber({ least: 0, most: 65_535 });
/** Of one request to another service. */
export const timeoutMs = wholeNumber({ least: 100, most: 600_000 });
/** Whether a process that serves pages works on jobs too, or leaves them to workers of their own. */
export const workPlace = oneOf("in-server", "separate");
export const databaseUrl = orNull(secret("must be the address of a PostgreSQL database"));
