import { dateText } from "./date-text.ts";
import { plainText } from "./plain-text.ts";

export interface BriefText {
  readonly name: string;
  readonly briefDate: string;
  readonly headline: string;
  readonly summary: string;
  readonly focus: readonly string[];
}

/** The brief as a mail: the same words as HTML and as plain text. */
export function briefMail({ name, briefDate, headline, summary, focus }: BriefText): {
  subject: string;
  text: string;
  html: string;
} {
  const leave = "To get no more of these mails, switch them off in your settings.";
  const lines = focus.map((item) => `- ${item}`).join("\n");
  const items = focus.map((item) => `<li>${escaped(item)}</li>`).join("");
  return {
    subject: plainText(headline, 200),
    text: `${headline}\n\n${summary}\n\n${lines}\n\nYour brief of ${dateText(briefDate)}, ${name}.\n${leave}\n`,
    html: `<!doctype html><html lang="en"><body><h1>${escaped(headline)}</h1><p>${escaped(summary)}</p><ul>${items}</ul><p>Your brief of ${dateText(briefDate)}, ${escaped(name)}.</p><p>${leave}</p></body></html>`,
  };
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
