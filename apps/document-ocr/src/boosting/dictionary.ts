import dictionaryEn from "dictionary-en";
import nspell from "nspell";
import type { Language } from "../reading/languages.ts";

export interface Dictionary {
  has(word: string): boolean;
}

let loaded: Dictionary | undefined;
const empty: Dictionary = { has: () => false };

/** Of English only: with another language's words unknown nothing is corrected, which is better than a wrong correction. */
export function dictionaryFor(language: Language | null): Dictionary {
  return language === null || language === "eng" ? english() : empty;
}

/** Loading it takes some tenths of a second, so that it is done once. */
function english(): Dictionary {
  if (loaded === undefined) {
    const spell = nspell(Buffer.from(dictionaryEn.aff), Buffer.from(dictionaryEn.dic));
    const known = new Map<string, boolean>();
    loaded = {
      has(word) {
        const found = known.get(word) ?? spell.correct(word);
        if (known.size < 50_000) known.set(word, found);
        return found;
      },
    };
  }
  return loaded;
}
