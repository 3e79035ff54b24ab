import dictionaryEn from "dictionary-en";
import nspell from "nspell";

export interface Dictionary {
  has(word: string): boolean;
}

let loaded: Dictionary | undefined;

/** English. Loading it takes some tenths of a second, so that it is done once. */
export async function loadDictionary(): Promise<Dictionary> {
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
