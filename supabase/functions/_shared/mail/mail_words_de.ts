/** Owns: the sentences of Nosh's own mails, in German. */
import { undecidedInGerman } from "../ranking/undecided_words_de.ts";
import type { MailWords } from "./mail_words_en.ts";

const attached = "Die Datei im Anhang bringt den Eintrag in deinem Kalender auf den neuen Stand.";

export const german: MailWords = {
  someone: "Jemand",
  view: "Plan ansehen",
  sayWhether: "Sag, ob du kommst",
  placeOpen: "Der Ort folgt noch.",
  bothOpen: "Der Plan gilt wieder. Zeit und Ort sind noch offen.",
  attached,
  ask: {
    times: {
      heading: "Wann kannst du?",
      missing: "Über die Termine hast du noch nicht abgestimmt.",
      button: "Jetzt abstimmen",
    },
    places: {
      heading: "Wohin möchtest du?",
      missing: "Über die Orte hast du noch nicht abgestimmt.",
      button: "Jetzt abstimmen",
    },
  },
  coming: {
    expected: "Wir rechnen mit dir. Sag Bescheid, wenn du nicht kannst.",
    waitlisted:
      "Der Tisch ist voll. Du stehst auf der Warteliste und rückst nach, sobald ein Platz frei wird.",
    notComing: "Du hast gesagt, dass du nicht kannst. Sag Bescheid, wenn es doch geht.",
    asked: "Kommst du?",
    stillSuits: "Passt dir das noch? Sag bitte noch einmal, ob du kommst.",
  },
  invite: {
    subject: (sender, title) => `${sender} lädt dich ein: ${title}`,
    wants: (sender) => `${sender} möchte mit dir essen gehen.`,
    joined: (people) => (people === 1 ? "Eine Person ist schon dabei." : `${people} Leute sind schon dabei.`),
    how: "Sag, wann du kannst und wohin du gern möchtest. Ein Name genügt, ein Konto brauchst du nicht.",
    button: "Mitmachen",
  },
  reminder: {
    subject: (title) => `Denk ans Abstimmen: ${title}`,
    closes: (title, deadline) => `Über „${title}“ wird bis ${deadline} abgestimmt.`,
  },
  nudge: {
    waits: (sender, title) => `${sender} wartet auf deine Stimme zu „${title}“.`,
    closes: (deadline) => `Die Abstimmung endet am ${deadline}.`,
  },
  soon: {
    subject: (title) => `Bald: ${title}`,
    sayNow:
      "Wenn du doch nicht kannst, sag bitte jetzt Bescheid. Vielleicht freut sich jemand über den Platz.",
  },
  rate: {
    subject: (placeOrTitle) => `Wie war ${placeOrTitle}?`,
    heading: "Wie war es?",
    why: (title) => `Bewerte „${title}“, dann passt der nächste Vorschlag besser.`,
    button: "Bewerten",
  },
  confirmed: {
    subject: (title, time) => `Es steht fest: ${title}, ${time}`,
    attached:
      "Die Datei im Anhang trägt den Termin in deinen Kalender ein oder aktualisiert den vorhandenen Eintrag.",
  },
  reopened: {
    subject: (title) => `Wieder offen: ${title}`,
    open: "Zeit und Ort werden neu entschieden. Sobald sie feststehen, bekommst du eine E-Mail.",
    button: "Abstimmung ansehen",
  },
  cancelled: {
    subject: (title) => `Abgesagt: ${title}`,
    own: "Du hast den Plan abgesagt.",
    by: (sender) => `${sender} hat den Plan abgesagt.`,
    unknown: "Der Plan wurde abgesagt.",
    was: (time) => `Geplant war ${time}.`,
  },
  restored: {
    subject: (title) => `Findet doch statt: ${title}`,
    on: (choice) => `Es bleibt dabei: ${choice}`,
  },
  changed: {
    subject: (title) => `Geändert: ${title}`,
    what: "Der Name oder die Notiz wurde geändert. Sonst bleibt alles:",
    note: (note) => `Notiz: ${note}`,
  },
  moved: {
    subject: (title, choice) => `Geändert: ${title}, jetzt ${choice}`,
    was: (choice) => `Bisher galt: ${choice}.`,
    changed: "Der Plan hat sich geändert.",
    now: (choice) => `Jetzt gilt: ${choice}`,
  },
  placed: {
    subject: (place, title) => `Der Ort steht fest: ${place}, ${title}`,
    decided: (choice) => `Jetzt steht auch der Ort fest: ${choice}`,
    sameTime: `Die Zeit bleibt. ${attached}`,
  },
  proposed: {
    subject: (title, time) => `Vorschlag: ${title}, ${time}`,
    until: (time) =>
      `Das passt nach euren Stimmen am besten. Wenn niemand widerspricht, steht es am ${time} fest.`,
    button: "Vorschlag ansehen",
  },
  vetoed: {
    subject: (title) => `Doch noch offen: ${title}`,
    by: (name, reason) => `${name} hat widersprochen${reason ? `: „${reason}“` : "."}`,
    youDecide: "Jetzt entscheidest du.",
    decides: (host) => `Jetzt entscheidet ${host}.`,
    hostDecides: "Jetzt entscheidet, wer einlädt.",
  },
  undecided: {
    subject: (title) => `Bitte entscheide: ${title}`,
    failed: "Wir konnten nicht für euch entscheiden.",
    reasons: undecidedInGerman,
    choose: "Wähl selbst Zeit und Ort, oder verschieb die Frist.",
    button: "Jetzt wählen",
  },
  address: {
    subject: (title) => `Bestätige deine Adresse: ${title}`,
    heading: "Bist du das?",
    wants: (sender, title) =>
      `${sender} möchte hier E-Mails zu „${title}“ bekommen: wenn es feststeht, wenn sich etwas ändert, und zur Erinnerung.`,
    ifNot:
      "Wenn du das bist, bestätige die Adresse. Wenn nicht, brauchst du nichts zu tun und bekommst keine weitere E-Mail.",
    button: "Adresse bestätigen",
  },
  everybody: {
    subject: (title) => `Alle haben geantwortet: ${title}`,
    voted: (people) =>
      `Alle ${people} haben abgestimmt. Sieh nach, welche Zeit und welcher Ort allen am besten passen.`,
    button: "Beste Kombination ansehen",
  },
  request: {
    subject: (sender, title) => `${sender} fragt nach einem Platz: ${title}`,
    heading: (sender) => `${sender} fragt nach einem Platz`,
    asks: (sender, title) =>
      `${sender} hat den Link zu „${title}“ geöffnet und fragt nach einem Platz. Du kannst zusagen oder ablehnen.`,
    button: "Anfrage beantworten",
  },
  date: {
    fixed: (time) => `Termin: ${time}.`,
    one: (time) => `Zur Wahl steht: ${time}.`,
    open: (first, last) => `Zur Wahl stehen Termine zwischen ${first} und ${last}.`,
  },
  why: "Du bekommst diese E-Mail wegen eines Plans mit deinen Leuten bei Nosh.",
  stop: "Wähl, welche E-Mails du bekommst",
};
