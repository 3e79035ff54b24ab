import { didYouMean } from "lockstep/internal";
import type { ConsoleLink } from "../contract/access.ts";

const mostLinks = 20;
const longestTitle = 80;
const longestUrl = 2_000;
const linkKeys = ["title", "url"];

/** What is wrong with a list of links, to follow the setting's name; null when nothing is. */
export function linksComplaint(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list such as [{ title: "Documents", url: "/documents" }]';
  if (value.length > mostLinks) return `must be at most ${mostLinks} links, not ${value.length}`;
  for (const [index, link] of (value as ConsoleLink[]).entries()) {
    const complaint = typeof link === "object" && link !== null ? linkComplaint(link) : "is no object";
    // By its place and never by itself: a password may stand in it.
    if (complaint !== null) return `has a link, number ${index + 1}, that ${complaint}`;
  }
  return null;
}

function linkComplaint(link: ConsoleLink): string | null {
  const unknown = Object.keys(link).find((key) => !linkKeys.includes(key));
  if (unknown !== undefined) return `has an unknown part "${unknown}".${didYouMean(unknown, linkKeys)}`;
  const { title, url } = link;
  if (typeof title !== "string" || title.trim() === "" || title.length > longestTitle) {
    return `needs a title of 1 to ${longestTitle} characters`;
  }
  if (typeof url !== "string" || url.length > longestUrl || !isOpenable(url)) {
    return 'needs a url that is an address such as "https://docs.example.com", without a user or a password, or a path such as "/documents"';
  }
  return null;
}

/** A path of this host, or a page of the web: nothing that a browser would run, or take for another host. */
function isOpenable(url: string): boolean {
  // Browsers leave out control characters, and take a backslash for a slash.
  if (/[\s\\\p{Cc}]/u.test(url)) return false;
  if (url.startsWith("/")) return !url.startsWith("//");
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username === "" && password === "";
}
