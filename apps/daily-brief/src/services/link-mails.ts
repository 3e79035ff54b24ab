import { escaped } from "./brief-mail.ts";

export interface LinkMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function signInMail(name: string, link: string): LinkMail {
  const words = "This link signs you in, once, within 15 minutes:";
  return linkMail("Sign in to your daily brief", `${name},`, words, link);
}

/** Nobody has this address yet. */
export function registerMail(link: string): LinkMail {
  const words =
    "Somebody, probably you, has registered this address for a daily brief. This link confirms it, once, within an hour:";
  return linkMail("Confirm your address for the daily brief", "Hello,", words, link);
}

/** Somebody registered with an address that has its person already. */
export function knownMail(name: string, link: string): LinkMail {
  const words =
    "Somebody, probably you, has registered this address for a daily brief. It has one already, and nothing was changed. This link leads to it, once, within an hour:";
  return linkMail("You have a daily brief already", `${name},`, words, link);
}

function linkMail(subject: string, greeting: string, words: string, link: string): LinkMail {
  const other = "If it was not you, there is nothing to do.";
  return {
    subject,
    text: `${greeting}\n\n${words}\n\n${link}\n\n${other}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escaped(greeting)}</p><p>${words}</p><p><a href="${escaped(link)}">${escaped(link)}</a></p><p>${other}</p></body></html>`,
  };
}
