import { z } from "zod";

/** Characters as people count them, not as UTF-16 does: an emoji is not four. */
export const longestTitle = 200;

const length = (text: string) => [...new Intl.Segmenter().segment(text)].length;

/** What `POST /api/entries` takes, for the form and for the route alike. */
export const newEntry = z.strictObject({
  title: z
    .string("Give the entry a title.")
    .trim()
    .min(1, "Give the entry a title.")
    // Before anything walks over it character by character.
    .max(20 * longestTitle, `A title has at most ${longestTitle} characters.`)
    .refine((title) => title.length > 20 * longestTitle || length(title) <= longestTitle, {
      error: `A title has at most ${longestTitle} characters.`,
      abort: true,
    })
    .refine((title) => !hasControls(title) && title.isWellFormed(), {
      error: "A title is one line of text, without control characters.",
    }),
});

export type NewEntry = z.infer<typeof newEntry>;

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** One message for each field, for a form to show beside it. */
export function fieldMessages(error: z.ZodError): Record<string, string> {
  const messages: Record<string, string> = {};
  for (const { path, message } of error.issues) messages[String(path[0] ?? "body")] ??= message;
  return messages;
}
