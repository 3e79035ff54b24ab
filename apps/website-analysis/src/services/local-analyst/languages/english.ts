import type { LanguageWords } from "./language-words.ts";

export const english: LanguageWords = {
  articles: "the|a|an|our|your|some|all|many|fresh",
  and: "and|&",
  hasCapitalNouns: false,
  forWhom: "for|aimed at|designed for|work with|helps?|to",
  people:
    "adults|artists|beginners|businesses|cafés|children|clinics|companies|couples|creators|dentists|designers|developers|doctors|employers|engineers|entrepreneurs|families|farmers|founders|freelancers|gardeners|homeowners|hotels|kids|landlords|lawyers|learners|makers|managers|members|merchants|musicians|nurses|parents|patients|pensioners|photographers|practices|professionals|publishers|pupils|researchers|residents|restaurants|retailers|runners|schools|seniors|startups|students|teachers|teams|teenagers|tenants|tourists|travellers|travelers|visitors|volunteers|women|writers|people without an? \\w+|people with [\\w-]+|homeless people|young people|older people",
  peopleBefore:
    "small|large|local|young|older|new|busy|independent|private|dental|medical|law|growing|remote|school|curious|experienced",
  peopleAfter: "",
  not: "not|never|no|isn't|unsuitable",
  offering:
    "we (?:also )?(?:offer|sell|bake|make|build|provide|brew|roast|repair|teach|design|rent|publish|grow|deliver)",
  offerEnd:
    "to|for|from|in|at|on|with|until|that|which|who|every|each|because|since|so|as|by|under|when|while|you|of course",
  offerHeadings:
    "(?:our |all )?(?:services|products|features|menu|courses|classes|treatments|what we (?:do|offer)|practice areas|rooms|workshops|tours)",
  isA: "is an?|are an?",
  inPlace: "in",
  beforeKind: "your|a|an|our|welcome|to|online",
  familiar: "",
  polite: "",
  personal: "you|your|yours|You|Your|Yours",
  we: "we|our|ours|us|We|Our|Us",
  i: "I|my|My|mine|I'm|I've",
  kinds: {
    software: "software|web app|mobile app|saas platform",
    shop: "online shop|online store|webshop|web shop|shop for|gift shop|bookshop",
    restaurant: "restaurant|bistro|pizzeria|steakhouse|brasserie",
    cafe: "café|coffee shop|coffee house|tea room",
    bakery: "bakery",
    hotel: "hotel|guest house|guesthouse|bed and breakfast|b&b|hostel",
    doctor: "medical practice|surgery|gp practice|family doctor",
    dentist: "dentist|dental practice|dental clinic",
    lawyer: "law firm|solicitors?|lawyers?|attorneys?",
    plumber: "plumber|plumbers",
    joiner: "joiner|joinery|carpenter|carpentry|cabinet maker",
    electrician: "electricians?",
    hairdresser: "hairdresser|hair salon|barber|barbershop",
    club: "rowing club|football club|sports club|club|society",
    charity: "charity|non-profit|nonprofit",
    school: "school|academy|language school|college",
    museum: "museum|art gallery",
    authority: "town council|city council|borough council|county council",
    blog: "blog",
  },
};
