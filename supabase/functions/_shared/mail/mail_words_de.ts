/** Owns: the words of Nosh's own mails, in German. */
import { undecidedInGerman } from "../ranking/undecided_words_de.ts";
import { choiceOf, type MailWords, voteOf, type WaitingMail } from "./mail_words.ts";

const PLACE_OPEN = "Der Ort folgt noch.";

/** What a mail that asks to vote asks for. */
const ASK = {
  times: {
    heading: "Wann kannst du?",
    missing: "Bei den Zeiten fehlt deine Antwort noch.",
    button: "Jetzt abstimmen",
  },
  places: {
    heading: "Wohin möchtest du?",
    missing: "Bei den Orten fehlt deine Antwort noch.",
    button: "Jetzt abstimmen",
  },
  answered: {
    heading: "Die Abstimmung läuft noch.",
    missing: "Du hast geantwortet und kannst deine Antworten noch ändern.",
    button: "Plan ansehen",
  },
} as const;
const ask = ({ question }: WaitingMail) => ASK[question ?? "answered"];

/** What is known of whether the reader comes, and what to do if that is wrong. */
function coming({ event }: WaitingMail): string {
  switch (event?.state) {
    case "expected":
      return "Du hast zugesagt, wir rechnen mit dir. Sag Bescheid, wenn du nicht kannst.";
    case "waitlisted":
      return "Der Tisch ist voll. Du stehst auf der Warteliste und rückst nach, sobald ein Platz frei wird.";
    case "not_coming":
      return "Du hast gesagt, dass du nicht kannst. Sag Bescheid, wenn es doch geht.";
    default:
      return "Kommst du?";
  }
}

export const german: MailWords = {
  letter: {
    invite: (mail) => ({
      subject: `${mail.sender ?? mail.host ?? "Jemand"} lädt dich ein: ${mail.title}`,
      heading: mail.title,
      lines: [
        `${mail.sender ?? mail.host ?? "Jemand"} möchte mit dir essen gehen. ${mail.people === 1 ? "Eine Person ist" : `${mail.people} Leute sind`} schon dabei.`,
        "Sag, wann du kannst und wohin du gern möchtest. Ein Name genügt, ein Konto brauchst du nicht.",
      ],
      button: "Mitmachen",
      leadsTo: `/join/${mail.secret ?? ""}`,
    }),
    vote_reminder: (mail, when) => ({
      subject: `Denk ans Abstimmen: ${mail.title}`,
      ...ask(mail),
      lines: [`Über „${mail.title}“ wird bis ${when(mail.vote_deadline)} abgestimmt. ${ask(mail).missing}`],
      leadsTo: voteOf(mail),
    }),
    plan_tomorrow: (mail, when) => ({
      subject: `Bald: ${mail.title}`,
      heading: mail.title,
      lines: [
        choiceOf(mail, when, PLACE_OPEN),
        "Wenn du doch nicht kannst, sag bitte jetzt Bescheid. Vielleicht freut sich jemand über den Platz.",
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    rate_reminder: (mail, when) => ({
      subject: `Wie war ${mail.place ?? mail.title}?`,
      heading: "Wie war es?",
      lines: [
        `${when(mail.starts_at)}.`,
        `Bewerte „${mail.title}“, dann passt der nächste Vorschlag besser.`,
      ],
      button: "Bewerten",
      leadsTo: `/plans/${mail.plan_id}?tab=day`,
    }),
    plan_confirmed: (mail, when) => ({
      subject: `Es steht fest: ${mail.title}, ${when(mail.starts_at)}`,
      heading: mail.title,
      lines: [
        choiceOf(mail, when, PLACE_OPEN),
        "Die Datei im Anhang trägt den Termin in deinen Kalender ein oder aktualisiert den vorhandenen Eintrag.",
        ...(mail.own ? [] : [coming(mail)]),
      ],
      button: mail.own ? "Plan ansehen" : "Sag, ob du kommst",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_reopened: (mail) => ({
      subject: `Wieder offen: ${mail.title}`,
      heading: mail.title,
      lines: ["Zeit und Ort werden neu entschieden. Sobald sie feststehen, bekommst du eine E-Mail."],
      button: "Abstimmung ansehen",
      leadsTo: `/plans/${mail.plan_id}?tab=when`,
    }),
    plan_cancelled: (mail, when) => ({
      subject: `Abgesagt: ${mail.title}`,
      heading: mail.title,
      lines: [
        mail.own
          ? "Du hast den Plan abgesagt."
          : `${mail.host ?? "Wer eingeladen hat,"} hat den Plan abgesagt.`,
        ...(mail.starts_at ? [`Geplant war ${when(mail.starts_at)}.`] : []),
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_restored: (mail, when) => ({
      subject: `Findet doch statt: ${mail.title}`,
      heading: mail.title,
      lines: [
        mail.event
          ? `Es bleibt dabei: ${choiceOf(mail, when, PLACE_OPEN)}`
          : "Der Plan gilt wieder. Zeit und Ort sind noch offen.",
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_changed: (mail, when) => ({
      subject: `Geändert: ${mail.title}`,
      heading: mail.title,
      lines: [
        "Der Name oder die Notiz wurde geändert. Sonst bleibt alles:",
        choiceOf(mail, when, PLACE_OPEN),
        ...(mail.event?.note ? [`Notiz: ${mail.event.note}`] : []),
        "Die Datei im Anhang bringt den Eintrag in deinem Kalender auf den neuen Stand.",
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_moved: (mail, when) => ({
      subject: `Geändert: ${mail.title}, jetzt ${[when(mail.starts_at), mail.place].filter(Boolean).join(", ")}`,
      heading: mail.title,
      lines: [
        `${mail.was_starts_at ? `Bisher galt: ${[when(mail.was_starts_at), mail.was_place].filter(Boolean).join(", ")}.` : "Der Plan hat sich geändert."} Jetzt gilt: ${choiceOf(mail, when, PLACE_OPEN)}`,
        ...(mail.own ? [] : ["Passt dir das noch? Sag bitte noch einmal, ob du kommst."]),
        "Die Datei im Anhang bringt den Eintrag in deinem Kalender auf den neuen Stand.",
      ],
      button: mail.own ? "Plan ansehen" : "Sag, ob du kommst",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_placed: (mail, when) => ({
      subject: `Der Ort steht fest: ${mail.place ?? ""}, ${mail.title}`,
      heading: mail.title,
      lines: [
        `Jetzt steht auch der Ort fest: ${choiceOf(mail, when, PLACE_OPEN)}`,
        "Die Zeit bleibt. Die Datei im Anhang bringt den Eintrag in deinem Kalender auf den neuen Stand.",
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    vote_nudge: (mail, when) => ({
      subject: `${ask(mail).heading} ${mail.title}`,
      ...ask(mail),
      lines: [
        `${mail.sender ?? mail.host ?? "Wer einlädt,"} wartet auf deine Stimme zu „${mail.title}“. ${ask(mail).missing}${mail.vote_deadline ? ` Die Abstimmung endet am ${when(mail.vote_deadline)}.` : ""}`,
      ],
      leadsTo: voteOf(mail),
    }),
    plan_proposed: (mail, when) => ({
      subject: `Vorschlag: ${mail.title}, ${when(mail.starts_at)}`,
      heading: mail.title,
      lines: [
        choiceOf(mail, when, PLACE_OPEN),
        `Das passt nach euren Stimmen am besten. Wenn niemand widerspricht, steht es am ${when(mail.veto_until)} fest.`,
      ],
      button: "Vorschlag ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_vetoed: (mail) => ({
      subject: `Doch noch offen: ${mail.title}`,
      heading: mail.title,
      lines: [
        `${mail.vetoed_by ?? "Jemand"} hat widersprochen${mail.veto_reason ? `: „${mail.veto_reason}“` : "."}`,
        mail.host ? `Jetzt entscheidet ${mail.host}.` : "Jetzt entscheidet, wer einlädt.",
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
    plan_undecided: (mail) => ({
      subject: `Bitte entscheide: ${mail.title}`,
      heading: mail.title,
      lines: [
        `Wir konnten nicht für euch entscheiden. ${mail.undecided ? german.undecided[mail.undecided] : ""}`.trim(),
        "Wähl selbst Zeit und Ort, oder verschieb die Frist.",
      ],
      button: "Jetzt wählen",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
    confirm_address: (mail) => ({
      subject: `Bestätige deine Adresse: ${mail.title}`,
      heading: "Bist du das?",
      lines: [
        `${mail.sender ?? "Jemand"} möchte hier E-Mails zu „${mail.title}“ bekommen: wenn es feststeht, wenn sich etwas ändert, und zur Erinnerung.`,
        "Wenn du das bist, bestätige die Adresse. Wenn nicht, brauchst du nichts zu tun und bekommst keine weitere E-Mail.",
      ],
      button: "Adresse bestätigen",
      leadsTo: `/mail/confirm/${mail.secret ?? ""}`,
    }),
    everybody_answered: (mail) => ({
      subject: `Alle haben geantwortet: ${mail.title}`,
      heading: mail.title,
      lines: [
        `Alle ${mail.people} haben abgestimmt. Sieh nach, welche Zeit und welcher Ort allen am besten passen.`,
      ],
      button: "Beste Kombination ansehen",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
    join_asked: (mail) => ({
      subject: `${mail.sender ?? "Jemand"} fragt nach einem Platz: ${mail.title}`,
      heading: `${mail.sender ?? "Jemand"} fragt nach einem Platz`,
      lines: [
        `${mail.sender ?? "Jemand"} hat den Link zu „${mail.title}“ geöffnet und fragt nach einem Platz. Du kannst zusagen oder ablehnen.`,
      ],
      button: "Anfrage beantworten",
      leadsTo: `/plans/${mail.plan_id}#asking`,
    }),
  },
  fixed: (time) => `Termin: ${time}.`,
  open: (first, last) =>
    first === last ? `Zur Wahl steht: ${first}.` : `Zur Wahl stehen Termine zwischen ${first} und ${last}.`,
  undecided: undecidedInGerman,
  why: "Du bekommst diese E-Mail wegen eines Plans mit deinen Leuten bei Nosh.",
  stop: "Wähl, welche E-Mails du bekommst",
};
