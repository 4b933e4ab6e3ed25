/** Owns: the words of the front door, in German. */
import type { LandingWords } from "./landing.ts";

export const landing: LandingWords = {
  yourPlans: "Deine Pläne",
  signIn: "Anmelden",
  heading: "Von „wir sollten mal essen gehen“ an einen Tisch.",
  text: "Findet eine Zeit. Findet einen Ort, an dem alle etwas essen können und zu dem es für niemanden zu weit ist. Trefft euch, und wisst es noch beim nächsten Mal.",
  tryIt: "Gleich ausprobieren",
  signInOrUp: "Anmelden",
  noAccount: "Ein Klick, kein Konto, keine Mail. Du setzt dich als Gast an einen Tisch für sechs.",
  guestName: "Gast",
  table: "Essen am Freitag",
  friday: "Freitag",
  you: "Du",
  seats: {
    here: "ist da",
    coming: "kommt",
    maybe: "kommt vielleicht",
    out: "kommt nicht",
    silent: "hat noch nicht geantwortet",
    youSilent: "hast noch nicht geantwortet",
  },
  whatItDoes: "Was es kann",
  courses: {
    vote: {
      title: "Wann und wo in einer Abstimmung",
      text: "Ihr stimmt über Zeiten und Orte zugleich ab, und serviert wird nur, was dann auch offen hat.",
    },
    diet: {
      title: "Sicher für jede Diät",
      text: "Ein Ort, von dem nicht klar ist, ob alle dort essen können, wird nie stillschweigend vorgeschlagen.",
    },
    trips: {
      title: "Faire Wege",
      text: "Alle sehen Minuten, niemand sieht ein Zuhause. Es zählt der längste Weg, nicht der Durchschnitt.",
    },
    name: {
      title: "Ein Name genügt",
      text: "Freunde kommen per Link dazu, ohne Konto, und behalten alles, wenn sie später eines anlegen.",
    },
  },
  language: "Sprache",
};
