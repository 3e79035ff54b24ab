import { type ConsoleLink, serverSettings } from "@lockstep/server";
import { usageError } from "../errors/cli-error.ts";

/** The variable with what the console links to, for `serve` and `dev`. */
export const linksVariable = "LOCKSTEP_LINKS";

const advice = 'Write them as "Website analysis=http://127.0.0.1:4600, Documents=/documents".';

/** Links as people write them down, title=url, separated by commas or lines. */
export function readLinks(text = ""): ConsoleLink[] {
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const links = entries.map((entry, index) => {
    const [, title, url] = /^([^=]*)=(.*)$/.exec(entry) ?? [];
    if (title !== undefined && url !== undefined) return { title: title.trim(), url: url.trim() };
    throw usageError(`${linksVariable} has a link, number ${index + 1}, that has no "=".`, advice);
  });
  const complaint = serverSettings.links.check(links);
  if (complaint !== null) throw usageError(`${linksVariable} ${complaint}.`, advice);
  return links;
}
