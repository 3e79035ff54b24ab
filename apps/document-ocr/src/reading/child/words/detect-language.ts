import { type Language, languages } from "../../languages.ts";

// The words that each language uses most, and those that stand on its bills and letters. Without accents, which are the
// first thing that is lost when a page is read with the data of another language.
const usualWords: Readonly<Record<Language, string>> = {
  eng: "the of and to in is was for that on with as be at by this are from or an have not were which their it his her has will our please date within days invoice quantity amount price unit description total number page account payment delivery",
  deu: "der die das und ist nicht mit von den dem ein eine einen einer fur auf im zu sich des auch wird sind bei nach wir sie ihnen ihre bitte wurde am zum zur uber oder aus kein als an rechnung menge betrag summe einzelpreis bezeichnung lieferung datum seite nummer konto innerhalb tagen",
  fra: "le la les de des du et est un une dans pour que qui sur avec pas au aux par ce cette ses son sa nous vous il elle ont ete avant apres ne plus facture quantite montant prix designation unitaire livraison jours veuillez compte page numero",
  spa: "el la los las de del y que en un una por con para se su al es lo como mas pero sus fue ha este esta desde hasta antes despues segun factura cantidad importe precio unitario descripcion envio dias cuenta pagina numero fecha",
  ita: "il lo la i gli le di del della dei delle e che un una per con in da non si sono al alla nel nella piu come anche ma suo ogni prima questo questa fattura quantita importo prezzo unitario descrizione consegna giorni totale conto pagina numero data entro",
  por: "o a os as de do da dos das e que em um uma por com para se no na ao nao foi seu sua mais como ate este esta depois antes fatura quantidade valor preco unitario descricao entrega dias conta pagina numero prazo",
  nld: "de het een en van in is dat op te zijn met voor niet aan er om als ook maar bij door over naar uit wij zij heeft wordt worden dit deze nog factuur aantal bedrag stukprijs omschrijving bezorging totaal dagen binnen rekening bladzijde datum nummer",
};

const languagesOf = new Map<string, Language[]>();
for (const language of languages) {
  for (const word of usualWords[language].split(" ")) {
    languagesOf.set(word, [...(languagesOf.get(word) ?? []), language]);
  }
}

const fewestWords = 3;
const clearLead = 1.25;

/** The language that a text is in, by its most usual words; null when that is not clear. */
export function detectLanguage(text: string): Language | null {
  const scores = new Map<Language, number>();
  for (const word of wordsOf(text)) {
    const its = languagesOf.get(word) ?? [];
    // A word that many languages have says less about each.
    for (const language of its) scores.set(language, (scores.get(language) ?? 0) + 1 / its.length);
  }
  const [first, second] = [...scores].sort(([, one], [, other]) => other - one);
  if (first === undefined || first[1] < fewestWords) return null;
  return first[1] >= clearLead * (second?.[1] ?? 0) ? first[0] : null;
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  );
}
