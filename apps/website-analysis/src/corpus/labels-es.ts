import { nothingBut, type PageLabel } from "./page-label.ts";

export const spanishLabels: readonly PageLabel[] = [
  nothingBut({
    page: "es/restaurante",
    kind: "restaurant",
    offers: ["cordero asado", "cochinillo", "verduras de temporada"],
    tone: ["polite", "we"],
    strengths: ["contact", "address", "hours"],
    searches: ["restaurante Salamanca"],
  }),
  nothingBut({
    page: "es/academia",
    kind: "school",
    offers: ["cursos intensivos", "clases de conversación", "preparación para el dele", "?clases de español"],
    audience: ["adultos", "estudiantes universitarios | estudiantes", "extranjeros"],
    tone: ["familiar", "we"],
    strengths: ["prices", "contact", "trial"],
  }),
  nothingBut({
    page: "es/fontanero",
    kind: "plumber",
    offers: ["desatascos", "calderas", "fugas de agua"],
    audience: ["comunidades de vecinos", "particulares"],
    tone: ["polite", "we"],
    strengths: ["contact", "guarantee"],
    searches: ["fontanero Zaragoza | fontanería Zaragoza"],
  }),
  nothingBut({
    page: "es/ayuntamiento",
    kind: "authority",
    tone: ["factual"],
    strengths: ["contact", "address", "hours"],
  }),
  nothingBut({
    page: "es/tienda",
    kind: "shop",
    offers: ["cuaderno cosido", "tinta sepia", "?papelería"],
    strengths: ["prices", "guarantee"],
    weaknesses: ["no-contact"],
  }),
  nothingBut({ page: "es/blog", kind: "blog", tone: ["i"] }),
  nothingBut({
    page: "es/ong",
    kind: "charity",
    offers: ["pozos | construcción de pozos"],
    tone: ["familiar", "we"],
    strengths: ["contact"],
  }),
  nothingBut({ page: "es/acceso", weaknesses: ["thin"] }),
];
