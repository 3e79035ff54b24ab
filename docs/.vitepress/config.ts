import { defineConfig } from "vitepress";
import { read } from "../../scripts/docs/page.ts";
import { referenceName, referencePackages } from "../../scripts/docs/reference/reference-packages.ts";
import { anchorOf } from "../../scripts/docs/site/anchor.ts";
import { placeLinks } from "../../scripts/docs/site/place-links.ts";
import { sidebarOf } from "../../scripts/docs/site/sidebar.ts";

// The pages are written for GitHub, and the site takes them as they are.
export default defineConfig({
  title: "Lockstep",
  description: "Background jobs with stages, on PostgreSQL, for TypeScript",
  cleanUrls: true,
  outDir: "../.lockstep/docs-site",
  cacheDir: "../.lockstep/docs-cache",
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, "$1index.md"),
  markdown: {
    anchor: { slugify: anchorOf },
    html: false,
    config(markdown) {
      markdown.core.ruler.push("place-links", ({ tokens, env }) => placeLinks(tokens, env.relativePath));
    },
  },
  themeConfig: {
    nav: [],
    sidebar: [
      ...sidebarOf(read("docs/README.md")),
      {
        text: "Packages",
        items: Object.keys(referencePackages).map((text) => ({
          text,
          link: `/reference/${referenceName(text)}`,
        })),
      },
    ],
    outline: [2, 3],
    search: { provider: "local" },
  },
});
