import type { KindId } from "../kinds/site-kinds.ts";

/** What the rules have to know of a language. Each text is a part of a regular expression, matched in any case unless said otherwise. */
export interface LanguageWords {
  /** What stands before a noun and says nothing: articles, "our", "some". */
  readonly articles: string;
  readonly and: string;
  /** Whether nouns are written with a capital letter, so that what has none is no thing. */
  readonly hasCapitalNouns: boolean;
  /** "for": what comes after it may be the people it is for. */
  readonly forWhom: string;
  /** People and organisations, in the plural: nobody else is taken for an audience. */
  readonly people: string;
  /** What may stand before such a noun, and after it, as a part of its name. */
  readonly peopleBefore: string;
  readonly peopleAfter: string;
  readonly not: string;
  /** "We offer": what comes after it is offered. */
  readonly offering: string;
  /** Words at which what is offered ends. */
  readonly offerEnd: string;
  /** Headings over lists of what is offered. */
  readonly offerHeadings: string;
  /** "is a": what comes after it is what the site is. */
  readonly isA: string;
  /** Prepositions before a place. */
  readonly inPlace: string;
  /** Words that may stand before the name of a kind in a title; any other small word makes it part of a headline. */
  readonly beforeKind: string;
  /** How it speaks to its readers. These are matched in the case in which they are written. */
  readonly familiar: string;
  readonly polite: string;
  readonly personal: string;
  readonly we: string;
  readonly i: string;
  readonly kinds: Readonly<Partial<Record<KindId, string>>>;
}
