import type { LanguageWords } from "./language-words.ts";

export const italian: LanguageWords = {
  articles: "il|lo|la|i|gli|le|l'|un|uno|una|dei|degli|delle|nostri|nostre|nostro|nostra|i nostri|le nostre",
  and: "e|ed|&",
  hasCapitalNouns: false,
  forWhom: "per|rivolt[oa] a|lavoriamo per|aiutiamo",
  people:
    "adulti|agriturismi|agricoltori|alberghi|anziani|artigiani|associazioni|avvocati|aziende|bambini|clienti privati|commercianti|condomini|coppie|dentisti|docenti|donne|famiglie|freelance|genitori|giovani|hotel|imprese|insegnanti|liberi professionisti|medici|pazienti|principianti|privati|professionisti|proprietari|ragazzi|ristoranti|scuole|sportivi|studenti|studi|turisti|viaggiatori",
  peopleBefore: "piccole|piccoli|giovani|grandi|nuovi",
  peopleAfter: "italiane|locali|universitari|dentistici|medici",
  not: "non|mai|nessun|sconsigliat[oa]|tranne",
  offering:
    "(?:offriamo|vendiamo|produciamo|prepariamo|organizziamo|realizziamo|ripariamo|installiamo|affittiamo|coltiviamo)",
  offerEnd: "per|da|dal|dalla|fino|che|ogni|nel|nella|presso|a|al",
  offerHeadings:
    "(?:i nostri |le nostre |il nostro |la nostra |i )?(?:servizi|prodotti|corsi|menù|menu|carta|funzionalità|trattamenti|camere|aree di attività|attività|laboratori)",
  isA: "è un['ao]?|siamo un['ao]?",
  inPlace: "a|in",
  beforeKind: "tuo|vostro|un|una|nostro|nostra",
  familiar: "[Tt]u|[Tt]i|[Tt]uo|[Tt]ua|[Tt]uoi|[Tt]ue|[Ss]crivici|[Ss]copri|[Pp]renota(?= il)|[Cc]hiamaci",
  polite:
    "[Vv]oi|[Vv]i|[Vv]ostr[oaie]|[Pp]renotate|[Cc]hiamateci|[Ss]criveteci|(?<=[\\p{Ll}:,] )(?:Lei|Le|Suo|Sua)|Chiami|Scriva",
  personal: "",
  we: "[Nn]oi|[Nn]ostr[oaie]|[\\p{L}]{3,}iamo",
  i: "[Ii]o|[Mm]io|[Mm]ia|[Mm]iei|[Mm]ie",
  kinds: {
    software: "software(?: gestionale)?|gestionale|applicazione web",
    shop: "negozio online|negozio|e-commerce",
    restaurant: "ristorante|trattoria|osteria|pizzeria",
    cafe: "caffetteria|torrefazione",
    bakery: "panificio|pasticceria|forno",
    hotel: "hotel|albergo|agriturismo|pensione|b&b",
    doctor: "studio medico|ambulatorio|poliambulatorio",
    dentist: "studio dentistico|dentista",
    lawyer: "studio legale|avvocato|avvocati",
    plumber: "idraulico|idraulica",
    joiner: "falegnameria|falegname",
    electrician: "elettricista",
    hairdresser: "parrucchiere|parrucchiera|barbiere",
    club: "associazione|circolo|società sportiva",
    charity: "onlus|ong|organizzazione umanitaria|fondazione",
    school: "scuola|accademia|istituto",
    museum: "museo",
    authority: "comune|provincia|municipio",
    blog: "blog",
  },
};
