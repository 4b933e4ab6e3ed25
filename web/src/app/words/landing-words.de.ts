/** Owns: the words of the landing page, in German. */
import type { LandingWords } from "./landing-words.ts";

export const landing: LandingWords = {
  yourPlans: "Deine Pläne",
  signIn: "Anmelden",
  heading: "Von „wir sollten mal essen gehen“ an einen Tisch.",
  text: "Findet einen Termin. Findet einen Ort, an dem alle gut essen können und der für niemanden zu weit weg ist. Trefft euch und merkt euch, was gut war.",
  plan: "Essen planen",
  tryIt: "Mit Beispiel ausprobieren",
  noAccount: "Kein Konto, keine E-Mail. Deine Freunde stimmen mit einem Link ab.",
  guestName: "Gast",
  sample: {
    title: "Essen zum Ausprobieren",
    note: "Die anderen hier sind erfunden. Stimm ab, schlag vor, leg fest: Niemand sonst sieht es.",
    hello: "Hallo, mir passt der erste Abend am besten. Und dir?",
  },
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
  demo: {
    title: "Markier, wann du kannst, und sieh, was am besten passt",
    text: "Vier Freunde stimmen gerade ab. Wähl eine Antwort und zieh über die Zeiten. Du siehst gleich, wann und wo ihr euch treffen würdet.",
    you: "Du",
  },
  remember: {
    title: "Beim nächsten Mal wisst ihr noch, wo es gut war",
    text: "Fotos und Bewertungen bleiben beim Plan und zählen, wenn ihr den nächsten Ort wählt.",
    pictures: {
      table: "Ein runder Tisch von oben, sechs Teller und ein Topf in der Mitte",
      momos: "Ein Teller Momos mit einer Schale rotem Chutney",
      bowl: "Ein bunter Teller am Fenster mit einer Tasse Kaffee",
    },
  },
  whatItDoes: "Was es kann",
  courses: {
    vote: {
      title: "Wann und wo in einer Abstimmung",
      text: "Ihr stimmt zugleich über Termine und Orte ab. Wissen wir, dass ein Ort dann zu hat, fällt die Kombination weg.",
    },
    diet: {
      title: "Jede Ernährung zählt",
      text: "Ist ein Ort nicht für alle als sicher bestätigt, die kommen, siehst du das immer, und für wen.",
    },
    trips: {
      title: "Faire Wege",
      text: "Alle sehen, wie lange ihr braucht, niemand sieht deinen Startpunkt. Der längste Weg soll möglichst kurz sein.",
    },
    name: {
      title: "Ein Name genügt",
      text: "Freunde kommen mit einem Link dazu, ganz ohne Konto, und behalten alles, wenn sie später eins anlegen.",
    },
  },
  language: "Sprache",
};
