/** What a site can be, and what it is called in the report. */
export const siteKinds = {
  restaurant: "a restaurant",
  cafe: "a café",
  bakery: "a bakery",
  shop: "an online shop",
  software: "software",
  hotel: "a place to stay",
  doctor: "a doctor's practice",
  dentist: "a dental practice",
  lawyer: "a law firm",
  plumber: "a plumber",
  joiner: "a joiner's workshop",
  electrician: "an electrician",
  hairdresser: "a hairdresser",
  club: "a club or association",
  charity: "a charity",
  school: "a school",
  museum: "a museum",
  authority: "a public authority",
  news: "a news article",
  blog: "a blog",
} as const;
export type KindId = keyof typeof siteKinds;

/** Sites of these kinds do not compete for customers, and do not sell. */
export const isBusiness = (kind: KindId | null): boolean =>
  kind !== null && !["authority", "news", "blog", "club", "charity", "museum"].includes(kind);

/** Types of schema.org. */
export const kindOfType: Readonly<Record<string, KindId>> = {
  Restaurant: "restaurant",
  FoodEstablishment: "restaurant",
  CafeOrCoffeeShop: "cafe",
  Bakery: "bakery",
  Store: "shop",
  Product: "shop",
  OnlineStore: "shop",
  SoftwareApplication: "software",
  WebApplication: "software",
  MobileApplication: "software",
  Hotel: "hotel",
  LodgingBusiness: "hotel",
  BedAndBreakfast: "hotel",
  Physician: "doctor",
  MedicalClinic: "doctor",
  Dentist: "dentist",
  LegalService: "lawyer",
  Attorney: "lawyer",
  Plumber: "plumber",
  Electrician: "electrician",
  HairSalon: "hairdresser",
  SportsClub: "club",
  NGO: "charity",
  School: "school",
  CollegeOrUniversity: "school",
  Museum: "museum",
  GovernmentOffice: "authority",
  GovernmentOrganization: "authority",
  NewsArticle: "news",
  ReportageNewsArticle: "news",
  Blog: "blog",
  BlogPosting: "blog",
};
