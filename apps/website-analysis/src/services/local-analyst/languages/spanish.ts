import type { LanguageWords } from "./language-words.ts";

export const spanish: LanguageWords = {
  articles: "el|la|los|las|un|una|unos|unas|nuestros|nuestras|nuestro|nuestra|todos los|todas las",
  and: "y|e|&|así como",
  hasCapitalNouns: false,
  forWhom: "para|dirigid[oa]s? a|atendemos a|trabajamos para|ayudamos a",
  people:
    "abogados|adolescentes|adultos|agricultores|alumnos|asociaciones|autónomos|ayuntamientos|clínicas|colegios|comercios|comunidades de vecinos|comunidades|dentistas|desarrolladores|docentes|empresas|estudiantes|extranjeros|familias|hoteles|inquilinos|jóvenes|jubilados|mayores|médicos|mujeres|niños|padres|parejas|particulares|personas mayores|personas con discapacidad|principiantes|profesionales|profesores|propietarios|pymes|restaurantes|socios|turistas|viajeros",
  peopleBefore: "pequeñas|pequeños|jóvenes|grandes|nuevos",
  peopleAfter: "pequeñas|universitarios|avanzados|locales|independientes",
  not: "no|nunca|ningún|excepto|desaconsejad[oa]",
  offering:
    "(?:ofrecemos|vendemos|fabricamos|elaboramos|organizamos|preparamos|reparamos|instalamos|alquilamos|construimos|cultivamos|impartimos)",
  offerEnd:
    "con|desde|hasta|en|por|que|cada|según|a|al|reparamos|formamos|ofrecemos|vendemos|fabricamos|instalamos",
  offerHeadings:
    "(?:nuestros |nuestras |nuestra |los )?(?:servicios|productos|cursos|carta|menú|funciones|funcionalidades|tratamientos|habitaciones|áreas de práctica|actividades|talleres)",
  isA: "es una?|somos una?",
  inPlace: "en|de",
  beforeKind: "tu|su|un|una|nuestro|nuestra",
  familiar:
    "[Tt]ú|[Tt]us?|[Tt]i|contigo|[Pp]uedes|[Aa]prende|[Ee]scríbenos|[Rr]eserva tu|[Ll]lámanos|[Dd]escubre|[Aa]yudas",
  polite:
    "[Uu]sted|[Uu]stedes|(?<=^|[.!?:] )(?:Reserve|Llame|Consulte|Visite|Contacte|Escriba|Pida|Venga)|su (?:mesa|casa|hogar|cita|pedido)|[Ll]e esperamos",
  personal: "",
  we: "[Nn]osotros|[Nn]uestr[oa]s?|[\\p{L}]{3,}(?:amos|emos|imos)",
  i: "[Yy]o|[Mm]is?|me|conmigo",
  kinds: {
    software: "software|programa de [\\p{L}]+|aplicación web",
    shop: "tienda online|tienda en línea|tienda",
    restaurant: "restaurante|mesón|pizzería|taberna",
    cafe: "cafetería",
    bakery: "panadería|pastelería",
    hotel: "hotel|hostal|casa rural|pensión|albergue",
    doctor: "centro médico|consulta médica|clínica",
    dentist: "clínica dental|dentista",
    lawyer: "bufete|abogado|abogada|abogados",
    plumber: "fontanero|fontanería|fontaneros",
    joiner: "carpintería|carpintero|ebanista",
    electrician: "electricista",
    hairdresser: "peluquería|peluquero|barbería",
    club: "asociación|club",
    charity: "ong|fundación",
    school: "academia|escuela|colegio|instituto",
    museum: "museo",
    authority: "ayuntamiento|diputación|concello",
    blog: "blog",
  },
};
