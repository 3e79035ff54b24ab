import { nothingBut, type PageLabel } from "./page-label.ts";

export const germanLabels: readonly PageLabel[] = [
  nothingBut({
    page: "de/restaurant",
    kind: "restaurant",
    offers: ["schäufele mit kloß", "gebackener karpfen", "käsespätzle", "?schäufele", "?karpfen", "?bier"],
    tone: ["polite", "we"],
    strengths: ["contact", "address", "hours", "prices"],
    searches: ["Restaurant Bamberg | Gasthaus Bamberg"],
  }),
  nothingBut({
    page: "de/schreiner",
    kind: "joiner",
    offers: ["küchen", "treppen", "einbauschränke", "reparaturen"],
    tone: ["polite", "we"],
    strengths: ["contact", "address"],
    searches: ["Schreinerei Freiburg"],
  }),
  nothingBut({
    page: "de/verein",
    kind: "club",
    offers: [
      "kurse | kurse für anfänger",
      "training | training für jugendliche",
      "wanderfahrten | wanderfahrten für familien",
    ],
    audience: ["anfänger", "jugendliche", "familien"],
    tone: ["familiar", "we"],
    strengths: ["contact"],
  }),
  nothingBut({
    page: "de/arztpraxis",
    kind: "doctor",
    offers: ["vorsorgeuntersuchungen", "impfungen", "hausbesuche", "?vorsorge"],
    tone: ["polite"],
    strengths: ["contact", "hours", "address"],
    searches: ["Hausarztpraxis Kassel | Arztpraxis Kassel"],
  }),
  nothingBut({
    page: "de/behoerde",
    kind: "authority",
    tone: ["factual"],
    strengths: ["contact", "address", "hours", "prices"],
  }),
  nothingBut({
    page: "de/onlineshop-minified",
    kind: "shop",
    offers: ["alpenminze lose", "wilder thymian", "?tee", "?gewürze"],
    tone: ["familiar", "we"],
    strengths: ["prices", "contact", "guarantee"],
  }),
  nothingBut({ page: "de/baustelle", weaknesses: ["placeholder"] }),
  nothingBut({ page: "de/blog", kind: "blog", tone: ["i"] }),
];
