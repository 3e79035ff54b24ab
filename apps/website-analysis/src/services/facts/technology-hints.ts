import type { HtmlDocument } from "./html-document.ts";
import { plainLine } from "./plain-text.ts";

export interface TechnologyHint {
  readonly name: string;
  /** Where it shows. */
  readonly evidence: string;
}

// What a page says of itself by the files it loads and the marks its tools leave.
const marks: readonly [name: string, mark: RegExp][] = [
  ["WordPress", /\/wp-(content|includes)\//],
  ["Drupal", /\/sites\/(default|all)\/|drupal\.js/],
  ["Joomla", /\/media\/(jui|system)\//],
  ["Shopify", /cdn\.shopify\.com|shopify\.theme/i],
  ["Wix", /static\.(wixstatic|parastorage)\.com/],
  ["Squarespace", /static1?\.squarespace\.com/],
  ["Webflow", /assets(-global)?\.website-files\.com|webflow\.js/],
  ["Next.js", /\/_next\/|id="__NEXT_DATA__"/],
  ["Nuxt", /\/_nuxt\/|id="__nuxt"/i],
  ["Gatsby", /id="___gatsby"/],
  ["Astro", /<astro-island|\/_astro\//],
  ["Angular", /ng-version="/],
  ["Vue", /data-v-app|\/vue(\.min)?\.js/],
  ["React", /data-reactroot|\/react(-dom)?(\.production)?(\.min)?\.js/],
  ["Svelte", /class="[^"]*svelte-[a-z0-9]{6}/],
  ["jQuery", /jquery([.-][\d.]+)?(\.slim)?(\.min)?\.js/i],
  ["Bootstrap", /bootstrap([.-][\d.]+)?(\.bundle)?(\.min)?\.(css|js)/i],
  ["Google Analytics", /googletagmanager\.com\/gtag|google-analytics\.com/],
  ["Google Tag Manager", /googletagmanager\.com\/gtm/],
  ["Matomo", /matomo\.js|piwik\.js/],
  ["Plausible", /plausible\.io\/js/],
];
const headerNames = ["server", "x-powered-by", "x-generator"];

/** What the site seems to be made with. Hints, not proofs: anybody may write anything into a page. */
export function technologyHints(
  html: string,
  document: HtmlDocument,
  headers: Readonly<Record<string, string>>,
): TechnologyHint[] {
  const generator = plainLine(document.querySelector('meta[name="generator"]')?.getAttribute("content"), 100);
  return [
    ...(generator === "" ? [] : [{ name: generator, evidence: "generator" }]),
    ...headerNames.flatMap((header) => {
      const name = plainLine(headers[header], 100);
      return name === "" ? [] : [{ name, evidence: `header ${header}` }];
    }),
    ...marks.flatMap(([name, mark]) => {
      const found = mark.exec(html)?.[0];
      return found === undefined ? [] : [{ name, evidence: plainLine(found, 100) }];
    }),
  ];
}
