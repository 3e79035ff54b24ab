import { pick, type Random } from "./seeded-random.ts";

const english = [
  "The harbour office opens at seven and closes when the last ferry has left.",
  "Every parcel is weighed twice, once on arrival and once before it goes out.",
  "Mr. Alder paid 1,250 for the boat and another 340 for its sails.",
  "Nobody remembers who planted the two oaks behind the station.",
  "The meeting of 14 March was moved to the large room on the third floor.",
  "Please return the signed form to the address below within ten days.",
  "A thin layer of ice had formed on the pond during the night.",
  "The baker's youngest daughter drew a map of the whole valley.",
  "Our records show that invoice 20417 was settled in full.",
  "Rain fell for six days, and on the seventh the river left its bed.",
  "The contract ends on 30 September unless both parties renew it.",
  "He kept his letters in a wooden box with a brass lock.",
  "Three of the five pumps were replaced before winter came.",
  "Visitors are asked not to lean against the display cases.",
  "The library lends tools as well as books: saws, drills and ladders.",
  "Her report runs to eighty pages and names every bridge in the county.",
  "The tenant shall keep the garden tidy and the gutters free of leaves.",
  "Coffee is served in the hall; lunch is at half past twelve.",
  "From the hill one sees the mill, the church and four small farms.",
  "The price of timber rose by 12 percent between May and August.",
  "Claims must be made in writing and sent with a copy of the receipt.",
  "A yellow fox crossed the quiet road just before dawn.",
  "The engine was built in 1911 and ran without repair for forty years.",
  "If the lamp flickers, turn the valve a quarter to the left.",
  "The committee thanked Ms. Whitcombe for her work on the budget.",
  "Each box holds twelve jars, packed in straw and sealed with wax.",
  "The surveyor measured the field and found it larger than the deed said.",
  "Trains to the coast leave from platform 4 at a quarter past each hour.",
  "Keep this certificate in a safe place, as it cannot be replaced.",
  "The choir sang in the old chapel, which has no electric light.",
  "Two judges voted for the blue vase and one for the woven basket.",
  "The drawing shows the position of every pipe, valve and gauge.",
] as const;

const withAccents = [
  "Zoë ordered crème brûlée at the café near the Place de l'Étoile.",
  "Señor Núñez will visit São Paulo and Málaga before the año nuevo.",
  "Die Straße über den Fluss führt nach Köln und später nach Zürich.",
  "Åse and Søren keep a smørrebrød kitchen on the Øresund coast.",
  "Le garçon a reçu sa leçon de français à Besançon.",
  "Das Mädchen aß Äpfel, Öl und süße Grütze in großen Mengen.",
  "El pingüino cruzó el jardín detrás del árbol más pequeño.",
] as const;

/** A paragraph of English; the seed decides which. */
export function englishParagraph(random: Random, sentences: number): string {
  return Array.from({ length: sentences }, () => pick(random, english)).join(" ");
}

/** A paragraph with letters that English does not have. */
export function accentedParagraph(random: Random, sentences: number): string {
  return Array.from({ length: sentences }, () => pick(random, withAccents)).join(" ");
}
