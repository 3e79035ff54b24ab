import { nothingBut, type PageLabel } from "./page-label.ts";

export const frenchLabels: readonly PageLabel[] = [
  nothingBut({
    page: "fr/boulangerie",
    kind: "bakery",
    offers: ["pain au levain", "viennoiseries", "tartes de saison | tartes"],
    tone: ["polite", "we"],
    strengths: ["contact", "hours", "address"],
    searches: ["boulangerie Nantes"],
  }),
  nothingBut({
    page: "fr/logiciel",
    kind: "software",
    offers: ["devis", "factures récurrentes", "export comptable", "?logiciel de facturation"],
    audience: ["indépendants", "petites entreprises"],
    tone: ["polite", "we"],
    strengths: ["prices", "trial", "contact"],
  }),
  nothingBut({
    page: "fr/association",
    kind: "club",
    offers: ["ateliers | ateliers pour les enfants", "repas de quartier", "troc de graines"],
    audience: ["enfants"],
    tone: ["familiar", "we"],
    strengths: ["prices", "contact"],
    searches: ["association Lyon"],
  }),
  nothingBut({
    page: "fr/mairie",
    kind: "authority",
    tone: ["factual"],
    strengths: ["contact", "address", "hours"],
  }),
  nothingBut({
    page: "fr/avocat",
    kind: "lawyer",
    offers: ["droit du travail", "droit de la famille", "baux commerciaux"],
    audience: ["salariés", "petites entreprises"],
    tone: ["polite", "we"],
    strengths: ["contact", "address"],
    searches: ["avocat Lille"],
  }),
  nothingBut({ page: "fr/article", kind: "news", tone: ["factual"] }),
  nothingBut({ page: "fr/vide", weaknesses: ["thin"] }),
  nothingBut({
    page: "fr/boutique",
    kind: "shop",
    offers: ["bol brume", "assiette sel", "?céramique"],
    strengths: ["prices", "guarantee", "reviews"],
    weaknesses: ["no-contact"],
  }),
];
