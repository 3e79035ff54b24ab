const ligatures: Readonly<Record<string, string>> = {
  ﬀ: "ff",
  ﬁ: "fi",
  ﬂ: "fl",
  ﬃ: "ffi",
  ﬄ: "ffl",
  ﬅ: "st",
  ﬆ: "st",
  ĳ: "ij",
  Ĳ: "IJ",
};

/** Letters that were set as one sign, apart again; accents on the letters they belong to. Nothing else changes. */
export function plainLetters(text: string): string {
  return text
    .replace(/[ﬀﬁﬂﬃﬄﬅﬆĳĲ]/g, (sign) => ligatures[sign] ?? sign)
    .normalize("NFC")
    .toWellFormed();
}
