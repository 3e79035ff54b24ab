import { expect, test } from "vitest";
import { linkedThings } from "./linked-things.ts";

test("products, articles and local businesses are found in blocks, lists and graphs", () => {
  const things = linkedThings([
    {
      "@graph": [
        { "@type": "WebSite", name: "Shop" },
        {
          "@type": ["Product"],
          name: "Wild thyme",
          brand: { name: "Hill" },
          offers: [{ price: 5.4, priceCurrency: "EUR", availability: "https://schema.org/InStock" }],
          aggregateRating: { ratingValue: "4.6", reviewCount: 31 },
        },
      ],
    },
    [
      {
        "@type": "NewsArticle",
        headline: "Bridge opens",
        author: [{ name: "Mara" }],
        datePublished: "2026-03-02",
      },
    ],
    {
      "@type": "Bakery",
      name: "Loaf",
      address: { streetAddress: "Mill Lane 1", addressLocality: "Leith" },
      telephone: "+44 1",
      openingHoursSpecification: {
        dayOfWeek: ["https://schema.org/Monday"],
        opens: "07:00",
        closes: "17:00",
      },
    },
  ]);
  expect(things).toEqual([
    {
      ...{ kind: "product", type: "Product", name: "Wild thyme", brand: "Hill", price: "5.4 EUR" },
      ...{ availability: "InStock", rating: "4.6 of 5 (31 reviews)" },
    },
    { kind: "article", type: "NewsArticle", name: "Bridge opens", author: "Mara", publishedAt: "2026-03-02" },
    {
      ...{ kind: "business", type: "Bakery", name: "Loaf", address: "Mill Lane 1, Leith", locality: "Leith" },
      ...{ telephone: "+44 1", email: null, openingHours: ["Mo 07:00-17:00"] },
    },
  ]);
});

test("whatever else stands in JSON-LD is left out and breaks nothing", () => {
  const odd = [null, 7, "text", [], {}, { "@type": "Product" }, { "@type": 4, name: {} }, { "@graph": "no" }];
  expect(linkedThings([{ "@type": "Bakery", name: "Crumb" }])).toMatchObject([
    { kind: "business", address: null },
  ]);
  expect(linkedThings([...odd, { "@type": "Person", name: "Ada", address: "Here" }])).toEqual([]);
});
