/** Owns: the words of usual times, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { UsualWords } from "./words.ts";

export const usual: UsualWords = {
  title: "Übliche Zeiten",
  text: "Wann kannst du normalerweise essen gehen? In neuen Plänen tragen wir deine Antworten ein, und du schickst sie ab. Das siehst nur du.",
  loading: "Deine üblichen Zeiten",
  parts: { lunch: "Mittags", dinner: "Abends" },
  cell: (weekday, part) => `${weekday}, ${part}`,
  answers: { yes: "Ja", if_need_be: "Zur Not", no: "Nein" },
  none: "Offen",
  saved: "Gespeichert.",
  offer: {
    title: "Aus deinen üblichen Zeiten",
    text: "Noch nicht abgeschickt. Ändere, was diesmal anders ist.",
    send: (count) => plural(count, { one: "# Antwort abschicken", other: "# Antworten abschicken" }),
    sent: (count) => plural(count, { one: "# Antwort gespeichert.", other: "# Antworten gespeichert." }),
    skip: "Nicht übernehmen",
  },
};
