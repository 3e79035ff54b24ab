import { read } from "../page.ts";

export interface SidebarGroup {
  text: string;
  items: { text: string; link: string }[];
}

/** The order of learning is that of docs/README.md: a group for each heading, an entry for each row of its table. */
export function sidebarOf(index: string, titleOf = titleOfPage): SidebarGroup[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf("\n")).trim(),
      items: [...section.matchAll(/^\| \[[^\]]*\]\(([^)]+\.md)\)/gm)].map(([, page = ""]) => ({
        text: titleOf(page),
        link: `/${page.replace(/README\.md$/, "").replace(/\.md$/, "")}`,
      })),
    }));
}

function titleOfPage(page: string): string {
  const [, title = page] = /^# (.*)$/m.exec(read(`docs/${page}`)) ?? [];
  return title.replaceAll("`", "");
}
