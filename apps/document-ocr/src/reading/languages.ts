/** What can be read: the languages whose data is installed, by the names that tesseract has for them. */
export const languages = ["eng", "deu", "fra", "spa", "ita", "por", "nld"] as const;
export type Language = (typeof languages)[number];

export const languageNames: Readonly<Record<Language, string>> = {
  eng: "English",
  deu: "German",
  fra: "French",
  spa: "Spanish",
  ita: "Italian",
  por: "Portuguese",
  nld: "Dutch",
};

export function isLanguage(text: string): text is Language {
  return (languages as readonly string[]).includes(text);
}
