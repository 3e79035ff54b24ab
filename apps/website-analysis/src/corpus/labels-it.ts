import { nothingBut, type PageLabel } from "./page-label.ts";

export const italianLabels: readonly PageLabel[] = [
  nothingBut({
    page: "it/trattoria",
    kind: "restaurant",
    offers: ["sardoni in savor", "gnocchi di pane", "frittura mista"],
    tone: ["polite"],
    strengths: ["contact", "hours", "address"],
    searches: ["ristorante Trieste | trattoria Trieste"],
  }),
  nothingBut({
    page: "it/idraulico",
    kind: "plumber",
    offers: ["riparazioni urgenti", "installazione di caldaie", "rifacimento bagni"],
    audience: ["condomini", "privati"],
    tone: ["polite", "we"],
    strengths: ["contact", "guarantee", "address"],
    searches: ["idraulico Bologna"],
  }),
  nothingBut({
    page: "it/agriturismo",
    kind: "hotel",
    offers: ["camere con colazione", "degustazioni di olio", "corsi di cucina", "?camere", "?olio"],
    audience: ["famiglie", "coppie"],
    tone: ["we", "polite"],
    strengths: ["prices", "contact"],
    searches: ["agriturismo Umbria"],
  }),
  nothingBut({
    page: "it/comune",
    kind: "authority",
    tone: ["factual"],
    strengths: ["contact", "address", "hours", "prices"],
  }),
  nothingBut({
    page: "it/software",
    kind: "software",
    offers: [
      "calendario prenotazioni",
      "check-in online",
      "fatturazione elettronica",
      "?software gestionale",
    ],
    audience: ["hotel", "agriturismi"],
    tone: ["familiar", "we"],
    strengths: ["prices", "trial", "contact"],
  }),
  nothingBut({
    page: "it/negozio",
    kind: "shop",
    offers: ["merino grezzo", "alpaca nera", "?filati", "?filati naturali"],
    strengths: ["prices", "guarantee"],
    weaknesses: ["no-contact"],
  }),
  nothingBut({ page: "it/notizia", kind: "news", tone: ["factual"] }),
  nothingBut({ page: "it/parcheggiato", weaknesses: ["parked"] }),
];
