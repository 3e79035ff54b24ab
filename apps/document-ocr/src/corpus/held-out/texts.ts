import type { Language } from "../../reading/languages.ts";

/** Sentences that are nowhere else in this repository, with the letters that each language has of its own. */
export const sentencesIn: Readonly<Record<Language, readonly string[]>> = {
  eng: [
    "The council will publish its decision before the end of the month.",
    "Passengers should keep their tickets until they have left the station.",
    "A retired clockmaker lives two doors down and repairs violins as well.",
    "Our delivery charge is 12.50 for parcels of up to twenty kilograms.",
    "The exhibition was moved because the roof of the old hall leaks.",
    "Nobody could explain why the lighthouse had been dark for a week.",
    "Please send the completed questionnaire to the office by 28 February.",
    "Half of the orchard was sold, and the other half was left to grow wild.",
    "Invoice 73158 was paid in full by the new owner of the mill.",
    "Fresh bread is baked every morning except on public holidays.",
  ],
  deu: [
    "Die Straßenbahn hält jeden Morgen vor dem großen Gebäude am Fluss.",
    "Für die Lieferung berechnen wir Ihnen eine Gebühr von 12,50 Euro.",
    "Der Vertrag endet am 30. September, sofern ihn beide Seiten nicht verlängern.",
    "Die Bäckerin öffnete früh die Tür und stellte frische Brötchen in den Korb.",
    "Bitte senden Sie das ausgefüllte Formular innerhalb von zehn Tagen zurück.",
    "Während der Prüfung müssen alle Schüler ihre Taschen am Eingang lassen.",
    "Zwei Häuser weiter wohnt ein älterer Herr, der Uhren und Geigen repariert.",
    "Der Zug nach Köln fährt um 14.35 Uhr von Gleis 7 ab.",
    "Über den Äckern lag dichter Nebel, und kein Mensch war zu sehen.",
    "Unsere Rechnung 73158 wurde im März vollständig bezahlt.",
  ],
  fra: [
    "Le marché couvert ouvre ses portes à sept heures, même pendant l'été.",
    "Veuillez renvoyer le formulaire signé à l'adresse ci-dessous avant le 30 août.",
    "La boulangère a préparé des gâteaux pour la fête de l'école.",
    "Les élèves ont reçu leurs résultats après une très longue journée.",
    "Notre société a réglé la facture 73158 au mois de février.",
    "Le théâtre est fermé à cause des travaux prévus jusqu'à Noël.",
    "Ça ne coûte que 12,50 euros, taxes comprises, dans chaque région.",
    "Un pêcheur âgé répare ses filets près du phare.",
    "Le contrôleur a vérifié les billets de tous les voyageurs.",
    "Cette pièce présente un intérêt particulier pour la bibliothèque.",
  ],
  spa: [
    "El próximo autobús sale a las ocho de la mañana desde la estación.",
    "La señora Ibáñez compró tres libros y un pequeño jarrón azul.",
    "Por favor, envíe el formulario firmado antes del 30 de septiembre.",
    "El niño soñó que volaba sobre la montaña y después despertó.",
    "La factura 73158 se pagó por completo el pasado mes de marzo.",
    "Según el médico, el corazón del paciente está más fuerte que nunca.",
    "Durante el otoño llueve mucho y los caminos se llenan de barro.",
    "El precio del billete subió un 12 por ciento entre mayo y agosto.",
    "Mañana habrá una reunión en el salón grande del tercer piso.",
    "La cigüeña volvió a su nido en la torre de la iglesia.",
  ],
  ita: [
    "La città si sveglia presto e i caffè aprono prima delle sette.",
    "Il contratto scade il 30 settembre, salvo rinnovo di entrambe le parti.",
    "Perché la bottega è chiusa, dovremo tornare lunedì mattina.",
    "La fattura 73158 è stata pagata per intero nel mese di marzo.",
    "Il nonno raccontava storie di pescatori e di navi lontane.",
    "Si prega di restituire il modulo firmato entro dieci giorni.",
    "Ogni venerdì il mercato si riempie di frutta, verdura e formaggi.",
    "Più tardi arrivò un treno carico di legname e di carbone.",
    "Così finì l'estate, e già si sentiva l'odore della pioggia.",
    "Il prezzo del biglietto è salito del 12 per cento.",
  ],
  por: [
    "A estação fica a dez minutos do centro, junto à praça principal.",
    "O João comprou pão, maçãs e três garrafas de água no mercado.",
    "Por favor, devolva o formulário assinado até ao dia 30 de setembro.",
    "A fatura 73158 foi paga na totalidade durante o mês de março.",
    "As crianças não queriam ir embora porque ainda havia sol.",
    "Amanhã haverá uma reunião na sala grande do terceiro andar.",
    "O avô contava histórias de pescadores e de navios distantes.",
    "Os preços subiram doze por cento entre maio e agosto.",
    "Depois da chuva, o rio transbordou e cobriu os campos.",
    "A exposição estará aberta até ao fim do verão.",
  ],
  nld: [
    "De trein naar de kust vertrekt om kwart over acht van spoor vier.",
    "Wij verzoeken u het ondertekende formulier binnen tien dagen terug te sturen.",
    "De bakker op de hoek verkoopt elke ochtend vers brood en koekjes.",
    "Factuur 73158 is in de maand maart volledig betaald.",
    "Het museum blijft gesloten totdat de werkzaamheden zijn voltooid.",
    "De kinderen speelden buiten, hoewel het de hele dag regende.",
    "Zij heeft geen idee waarom de vergadering is uitgesteld.",
    "Het contract eindigt op 30 september, tenzij beide partijen het verlengen.",
    "In de bibliotheek kan men ook gereedschap lenen: zagen, boren en ladders.",
    "Twee oude mannen zaten zwijgend aan het water te vissen.",
  ],
};

export interface InvoiceWords {
  readonly title: string;
  readonly thanks: string;
  readonly columns: readonly [item: string, quantity: string, price: string, amount: string];
  readonly items: readonly string[];
  readonly total: string;
}

export const invoiceIn: Readonly<Record<Language, InvoiceWords>> = {
  eng: {
    title: "Invoice",
    thanks: "Please pay within fourteen days to the account below.",
    columns: ["Description", "Quantity", "Unit price", "Amount"],
    items: ["Oak shelf, planed", "Brass hinge", "Wood screws, box", "Linseed oil", "Delivery", "Door handle"],
    total: "Total",
  },
  deu: {
    title: "Rechnung",
    thanks: "Bitte zahlen Sie innerhalb von vierzehn Tagen auf das unten genannte Konto.",
    columns: ["Bezeichnung", "Menge", "Einzelpreis", "Betrag"],
    items: ["Regal aus Eiche", "Türgriff", "Schrauben, groß", "Leinöl", "Lieferung", "Schlüssel"],
    total: "Summe",
  },
  fra: {
    title: "Facture",
    thanks: "Nous vous prions de régler cette facture dans les quatorze jours.",
    columns: ["Désignation", "Quantité", "Prix unitaire", "Montant"],
    items: ["Étagère en chêne", "Poignée de porte", "Boîte de vis", "Huile de lin", "Livraison", "Clé"],
    total: "Total",
  },
  spa: {
    title: "Factura",
    thanks: "Le rogamos que pague esta factura en un plazo de catorce días.",
    columns: ["Descripción", "Cantidad", "Precio unitario", "Importe"],
    items: ["Estante de roble", "Bisagra de latón", "Caja de tornillos", "Aceite", "Envío", "Llave pequeña"],
    total: "Total",
  },
  ita: {
    title: "Fattura",
    thanks: "La preghiamo di pagare questa fattura entro quattordici giorni.",
    columns: ["Descrizione", "Quantità", "Prezzo unitario", "Importo"],
    items: ["Mensola di quercia", "Maniglia", "Scatola di viti", "Olio di lino", "Consegna", "Chiave"],
    total: "Totale",
  },
  por: {
    title: "Fatura",
    thanks: "Pedimos o pagamento desta fatura no prazo de catorze dias.",
    columns: ["Descrição", "Quantidade", "Preço unitário", "Valor"],
    items: ["Estante de carvalho", "Maçaneta", "Caixa de parafusos", "Óleo", "Entrega", "Chave"],
    total: "Total",
  },
  nld: {
    title: "Factuur",
    thanks: "Wij verzoeken u deze factuur binnen veertien dagen te betalen.",
    columns: ["Omschrijving", "Aantal", "Stukprijs", "Bedrag"],
    items: ["Plank van eikenhout", "Deurkruk", "Doos schroeven", "Lijnolie", "Bezorging", "Sleutel"],
    total: "Totaal",
  },
};
