import { escaped } from "./brief-mail.ts";

/** The mail with the link. */
export function signInMail(name: string, link: string): { subject: string; text: string; html: string } {
  const words = "This link signs you in, once, within 15 minutes:";
  const other = "If you did not ask for it, there is nothing to do.";
  return {
    subject: "Sign in to your daily brief",
    text: `${name},\n\n${words}\n\n${link}\n\n${other}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escaped(name)},</p><p>${words}</p><p><a href="${escaped(link)}">${escaped(link)}</a></p><p>${other}</p></body></html>`,
  };
}
