import type { LinkedThing } from "../services/facts/linked-things.ts";

/** What a thing is called and what is known of it, for the page and for a download. */
export function thingLines(thing: LinkedThing): {
  readonly label: string;
  readonly lines: readonly [name: string, value: string][];
} {
  const lines: [string, string | null][] =
    thing.kind === "product"
      ? [
          ["Price", thing.price],
          ["Brand", thing.brand],
          ["Availability", thing.availability],
          ["Rating", thing.rating],
        ]
      : thing.kind === "article"
        ? [
            ["Author", thing.author],
            ["Published", thing.publishedAt],
          ]
        : [
            ["Address", thing.address],
            ["Telephone", thing.telephone],
            ["Mail", thing.email],
            ["Opening hours", thing.openingHours.join("; ")],
          ];
  const label = { product: "Product", article: "Article", business: "Local business" }[thing.kind];
  return { label, lines: lines.filter((line): line is [string, string] => Boolean(line[1])) };
}
