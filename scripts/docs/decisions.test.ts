import { basename } from "node:path";
import { expect, test } from "vitest";
import { filesBelow, read, tablesOf } from "./page.ts";

const pages = filesBelow("docs/decisions", ".md").filter((path) => !path.endsWith("/README.md"));

test("the index of the decisions lists every page with its number, its title and the status its page tells", () => {
  const expected = pages.map((path) => {
    const [title = "", opening = ""] = read(path).split("\n\n");
    const number = basename(path).slice(0, 4);
    expect(title).toMatch(new RegExp(`^# ${number} \\S`));
    return [`[${number}](${basename(path)})`, title.slice("# 0000 ".length), statusBy(opening)];
  });
  expect(tablesOf(read("docs/decisions/README.md"))).toEqual(expected);
});

/** In force, unless the first paragraph of the page says which decisions superseded it. */
function statusBy(opening: string): string {
  const [, mark] = /^\*\*(Superseded(?: in part)?):\*\*/.exec(opening) ?? [];
  if (mark === undefined) return "in force";
  const links = [...opening.matchAll(/\[\d{4}\]\([\w-]+\.md\)/g)].map(([link]) => link);
  expect(links).not.toEqual([]);
  return `${mark.toLowerCase()} by ${links.join(", ")}`;
}
