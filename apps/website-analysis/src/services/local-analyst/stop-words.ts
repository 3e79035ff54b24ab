// The commonest words of the languages that pages are most often in: they tell in which of them a page is written.
const byLanguage: Record<string, string> = {
  en: "a about after all also an and any are as at be because been before being between both but by can could did do does each for from get had has have he her here his how i if in into is it its just like made make many may me more most my new no not now of on one only or other our out over own s same she so some such t than that the their them then there these they this those through to too under up us use very was way we were what when where which while who why will with within without would you your",
  de: "aber alle als also am an auch auf aus bei bis da damit das dass dein dem den der des die dies diese dieser doch du durch ein eine einem einen einer eines er es euch für haben hat hier ich ihr ihre im in ist ja kann kein keine man mehr mein mit nach nicht noch nur ob oder ohne sein seine sich sie sind so über um und uns unser unsere unter vom von vor war was wenn werden wie wir wird zu zum zur",
  fr: "a au aux avec ce ces cette comme dans de des du elle en est et être eu il ils je la le les leur lui mais me même mes moi mon ne nos notre nous on ou où par pas plus pour qu que qui sa sans se ses si son sont sur ta te toi ton tous tout très tu un une vos votre vous y à été",
  es: "a al como con de del desde donde el ella en entre era es esta este esto está fue ha hay la las le lo los me mi muy más ni no nos nuestra nuestro o para pero por porque que qué se ser si sin sobre son su sus también te tiene todo tu tus un una uno y ya él",
  it: "a ad al alla alle anche che chi ci come con da dal dalla dei del della delle di dove e è ed gli ha hanno ho i il in io la le lei li lo loro lui ma mi mio ne nei nel nella noi non nostra nostro o per più quando quella quello questa questo se sei si sono su sua sul suo tra tu tua tuo un una uno vi voi",
};

const sets = new Map(
  Object.entries(byLanguage).map(([language, words]) => [language, new Set(words.split(" "))]),
);

/** The stop words of a language by its two letters; none of one that is not known. */
export function stopWords(language: string): ReadonlySet<string> {
  return sets.get(language) ?? new Set();
}
