import { expect, test } from "vitest";
import { sentencesIn } from "../../../corpus/held-out/texts.ts";
import { languages } from "../../languages.ts";
import { detectLanguage } from "./detect-language.ts";

test.each(languages)("a paragraph of %s is known, also without its accents", (language) => {
  const text = sentencesIn[language].join(" ");
  expect(detectLanguage(text)).toBe(language);
  expect(detectLanguage(text.normalize("NFD").replace(/\p{M}/gu, ""))).toBe(language);
});

test("what is too short or in no language stays open", () => {
  expect(detectLanguage("")).toBeNull();
  expect(detectLanguage("20417 / 31 B")).toBeNull();
  expect(detectLanguage("de la")).toBeNull();
});
