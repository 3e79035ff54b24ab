import { plainLine } from "./plain-text.ts";

/** What a page says in JSON-LD, by what it is about. */
export type LinkedThing = LinkedProduct | LinkedArticle | LinkedBusiness;

interface Named {
  /** As schema.org calls it: "Bakery", "NewsArticle". */
  readonly type: string;
  readonly name: string;
}
export interface LinkedProduct extends Named {
  readonly kind: "product";
  readonly brand: string | null;
  /** With its currency, as the page has it: "7.90 EUR". */
  readonly price: string | null;
  readonly availability: string | null;
  /** "4.6 of 5 (31 reviews)". */
  readonly rating: string | null;
}
export interface LinkedArticle extends Named {
  readonly kind: "article";
  readonly author: string | null;
  readonly publishedAt: string | null;
}
export interface LinkedBusiness extends Named {
  readonly kind: "business";
  readonly address: string | null;
  readonly locality: string | null;
  readonly telephone: string | null;
  readonly email: string | null;
  readonly openingHours: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const most = 50;
const articleTypes = /(?:Article|BlogPosting|Report)$/;
// schema.org has a hundred kinds of local businesses; these are the ones that sites use, and any thing with an address is one too.
const businessTypes =
  /(?:Business|Restaurant|Bakery|CoffeeShop|Bar|Store|Hotel|Dentist|Physician|Clinic|Salon|Plumber|Electrician|Attorney|LegalService|FoodEstablishment)$/;
const noBusinesses =
  /^(?:Person|WebSite|WebPage|BreadcrumbList|ItemList|ImageObject|Review|Offer|Event|Organization|FAQPage)$/;

/** Products, articles and local businesses among the blocks, also those inside a graph or a list. */
export function linkedThings(jsonLd: readonly unknown[]): LinkedThing[] {
  return jsonLd
    .flatMap(entriesOf)
    .map(thingOf)
    .filter((thing) => thing !== null)
    .slice(0, most);
}

/** All types that a page names at its top, in its graphs and lists. */
export function linkedTypes(jsonLd: readonly unknown[]): string[] {
  return jsonLd.flatMap(entriesOf).map(({ "@type": type }) => typeOf(type));
}

function entriesOf(block: unknown): Json[] {
  if (Array.isArray(block)) return block.flatMap(entriesOf);
  if (!isJson(block)) return [];
  const inside = [...listOf(block["@graph"]), ...listOf(block.itemListElement), block.mainEntity, block.item];
  return [block, ...inside.flatMap(entriesOf)];
}

function thingOf(entry: Json): LinkedThing | null {
  const type = typeOf(entry["@type"]);
  const name = textOf(entry.name) ?? textOf(entry.headline);
  if (name === null) return null;
  if (type === "Product" || type === "ProductGroup")
    return { kind: "product", type, name, ...productOf(entry) };
  if (articleTypes.test(type)) {
    const publishedAt = textOf(entry.datePublished);
    return { kind: "article", type, name, author: nameIn(entry.author), publishedAt };
  }
  const isPlace = isJson(entry.address) || textOf(entry.address) !== null;
  return businessTypes.test(type) || (isPlace && !noBusinesses.test(type))
    ? { kind: "business", type, name, ...businessOf(entry) }
    : null;
}

function productOf(entry: Json) {
  const offer = listOf(entry.offers).find(isJson) ?? {};
  const price = textOf(offer.price) ?? textOf(offer.lowPrice);
  const rating = isJson(entry.aggregateRating) ? entry.aggregateRating : {};
  const value = textOf(rating.ratingValue);
  const count = textOf(rating.reviewCount) ?? textOf(rating.ratingCount);
  return {
    brand: nameIn(entry.brand),
    price: price === null ? null : [price, textOf(offer.priceCurrency)].filter(Boolean).join(" "),
    availability: textOf(offer.availability)?.replace(/^https?:\/\/schema\.org\//, "") ?? null,
    rating:
      value === null
        ? null
        : `${value} of ${textOf(rating.bestRating) ?? "5"}${count === null ? "" : ` (${count} reviews)`}`,
  };
}

function businessOf(entry: Json) {
  const { address } = entry;
  const parts = isJson(address)
    ? [address.streetAddress, address.postalCode, address.addressLocality, address.addressCountry].map(textOf)
    : [textOf(address)];
  return {
    address: parts.filter((part) => part !== null).join(", ") || null,
    locality: isJson(address) ? textOf(address.addressLocality) : null,
    telephone: textOf(entry.telephone),
    email: textOf(entry.email)?.replace(/^mailto:/, "") ?? null,
    openingHours: [
      ...listOf(entry.openingHours).map(textOf),
      ...listOf(entry.openingHoursSpecification).map(hoursOf),
    ]
      .filter((hours) => hours !== null)
      .slice(0, 14),
  };
}

function hoursOf(specification: unknown): string | null {
  if (!isJson(specification)) return null;
  const days = listOf(specification.dayOfWeek).map((day) => textOf(day)?.replace(/^.*\//, "").slice(0, 2));
  const [opens, closes] = [textOf(specification.opens), textOf(specification.closes)];
  return opens === null || closes === null ? null : `${days.join(",")} ${opens}-${closes}`;
}

function nameIn(value: unknown): string | null {
  const [first] = listOf(value);
  return isJson(first) ? textOf(first.name) : textOf(first);
}

function typeOf(type: unknown): string {
  return plainLine(String(listOf(type)[0] ?? "").replace(/^https?:\/\/schema\.org\//, ""), 60);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number"
    ? plainLine(String(value), 200) || null
    : null;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
