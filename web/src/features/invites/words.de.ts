/** Owns: the words of inviting, joining, moving into an account, and using another device, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { InviteWords } from "./words.ts";

export const invites: InviteWords = {
  invite: "Einladen",
  title: "Einladen",
  first: { heading: "Lade deine Freunde ein", make: "Link holen" },
  link: {
    heading: "Mit einem Link",
    text: {
      plan: "Wer den Link hat, kann bei diesem Plan mitmachen. Ein Name genügt, ein Konto ist nicht nötig.",
      circle: "Wer den Link hat, kann diesem Kreis beitreten. Ein Konto ist dafür nötig.",
    },
    days: "Gilt für",
    daysOf: (days) => plural(days, { one: "# Tag", other: "# Tage" }),
    uses: "Für bis zu",
    usesOf: (uses) => plural(uses, { one: "# Person", other: "# Leute" }),
    make: "Link erstellen",
    another: "Neuen Link holen",
    stays: "Links, die du schon geteilt hast, gelten weiter, bis sie ablaufen oder du sie widerrufst.",
    field: "Einladungslink",
    shareText: "Mach mit bei Nosh:",
  },
  active: {
    heading: "Aktive Links",
    used: (uses, most) => `${uses} von ${most} benutzt`,
    until: (when) => `bis ${when}`,
    madeAt: (when) => `Erstellt ${when}`,
    revoke: "Widerrufen",
    revokeOne: (when) => `Den Link von ${when} widerrufen`,
    revoked: "Link widerrufen. Niemand kann ihn mehr benutzen.",
  },
  mail: {
    heading: "Per E-Mail",
    text: "Alle bekommen ihren eigenen Link, der einmal gilt.",
    field: "E-Mail-Adressen",
    help: "Trenn Adressen mit Kommas oder Leerzeichen.",
    takeOff: (address) => `${address} entfernen`,
    bad: (address) => `${address} ist keine gültige E-Mail-Adresse.`,
    send: (count) =>
      count === 0
        ? "Einladungen schicken"
        : plural(count, { one: "# Einladung schicken", other: "# Einladungen schicken" }),
    outcomes: {
      waiting: "wird gleich verschickt",
      not_sent: "hat sich abgemeldet; teil stattdessen einen Link",
    },
    notSetUp: { message: "Nosh kann hier keine E-Mails verschicken.", hint: "Teil stattdessen einen Link." },
    outcome: (address, outcome) => `${address}: ${outcome}`,
  },
  join: {
    title: (plan) => `Einladung: ${plan}`,
    untitled: "Einladung",
    loading: "Die Einladung",
    friend: "Jemand",
    invitesYou: (host) => `${host} lädt dich ein`,
    there: (people) =>
      plural(people, { one: "# Person ist schon dabei.", other: "# Leute sind schon dabei." }),
    open: "Zeit und Ort sind noch offen.",
    offered: {
      when: "Wann",
      where: "Wo",
      more: (count) => `${count} weitere`,
      atHome: "bei jemandem zu Hause",
    },
    whatItIs: "Nosh: gemeinsam entscheiden, wann und wo ihr esst",
    fixed: (when: string | null) => (when ? `Es steht fest: ${when}.` : "Zeit und Ort stehen fest."),
    you: "Du",
    yourSeat: "hast einen freien Platz",
    name: "Dein Name",
    nameHelp: "Mehr brauchen wir nicht. Kein Konto, keine E‑Mail.",
    take: "Platz nehmen",
    haveAccount: "Ich habe ein Konto",
    taken: {
      question: (name) => `${name} ist schon dabei. Bist du das?`,
      several: (name) => `Hier heißt mehr als eine Person ${name}.`,
      guest: (host) =>
        `Wenn du mit einem anderen Gerät dabei bist, frag hier nach deinem Platz. Bestätigen kannst du das dort, oder ${host} macht es.`,
      account: (name) => `${name} hat ein Konto. Melde dich an, dann bist du wieder dabei.`,
      severalText: "Wenn du schon dabei warst, frag die Person, die einlädt.",
      ask: "Ja, Platz anfragen",
      signIn: "Ja, anmelden",
      other: "Nein, anderer Name",
      initial: "Häng einen Anfangsbuchstaben an, damit man euch auseinanderhält.",
    },
    needsAccount: "Um einem Kreis beizutreten, brauchst du ein Konto.",
    signInOrUp: "Anmelden oder registrieren",
    inAs: (name) => `Du kommst als ${name} dazu.`,
    whatIsNosh: "Was ist Nosh?",
    toYourPlans: "Zu deinen Plänen",
    tryAgain: "Erneut versuchen",
    askingAs: (name) => `Du fragst als ${name}.`,
    closed: {
      plan_not_found: {
        title: "Unter dieser Adresse gibt es keinen Plan",
        text: "Prüf, ob du den ganzen Link kopiert hast, oder bitte um einen neuen.",
      },
      removed_before: {
        title: "Du bist bei diesem Plan nicht dabei",
        text: "Du wurdest entfernt. Bitte um einen Einladungslink, wenn du wieder mitmachen willst.",
      },
      invite_not_found: {
        title: "Dieser Link funktioniert nicht",
        text: "Prüf, ob du ihn ganz kopiert hast. Wenn ja, bitte um einen neuen.",
      },
      invite_expired: {
        title: "Dieser Link ist abgelaufen",
        text: "Links gelten höchstens zwei Wochen. Bitte um einen neuen.",
      },
      invite_used_up: {
        title: "Dieser Link ist aufgebraucht",
        text: "Er galt für eine feste Zahl von Leuten, und alle sind schon dabei. Bitte um einen neuen.",
      },
      invite_revoked: {
        title: "Dieser Link wurde widerrufen",
        text: "Bitte um einen neuen.",
      },
      plan_full: {
        title: "Der Tisch ist voll",
        text: "20 Leute sind schon dabei, mehr gehen nicht. Wird ein Platz frei, funktioniert dieser Link wieder.",
      },
      circle_full: { title: "Der Kreis ist voll", text: "50 Leute sind schon dabei, mehr gehen nicht." },
      plan_cancelled: {
        title: "Dieser Plan ist abgesagt",
        text: "Wird er wiederhergestellt, funktioniert dieser Link wieder.",
      },
      plan_over: {
        title: "Dieser Plan ist vorbei",
        text: "Frag nach dem nächsten, wenn du dabei sein willst.",
      },
    },
  },
  planLink: {
    hostedBy: (host) => `Ein Plan von ${host}`,
    ask: "Nach einem Platz fragen",
    askHelp: (host) => `${host} sieht deinen Namen und entscheidet. Kein Konto, keine E-Mail.`,
    wasHere: "Ich bin schon dabei: Platz anfragen",
    asked: {
      title: "Du hast nach einem Platz gefragt",
      text: (host) =>
        `Sobald ${host} zusagt, öffnet sich hier der Plan. Du kannst die Seite schließen und auf diesem Gerät wiederkommen.`,
    },
    declined: {
      title: "Diesmal bist du nicht dabei",
      text: (host) => `Falls das ein Versehen war, frag noch einmal. ${host} kann auch später noch zusagen.`,
    },
    refused: {
      title: "Diesmal bist du nicht dabei",
      text: (host) =>
        `Öfter kannst du nicht fragen. ${host} kann trotzdem noch zusagen oder dir einen Einladungslink schicken.`,
    },
    moved: {
      title: "Dein Platz ist auf einem anderen Gerät",
      text: (host) => `Öffne den Plan dort. Wenn du das nicht wolltest, sag ${host} Bescheid.`,
    },
    askAgain: "Noch einmal fragen",
    heading: "Der Link des Plans",
    text: "Er läuft nie ab. Wer dabei ist, sieht den Plan. Andere sehen seinen Namen, den Vornamen der einladenden Person und wie viele dabei sind, und können nach einem Platz fragen.",
    field: "Link des Plans",
    copy: "Link des Plans kopieren",
    open: "Andere können mit ihrem Namen mitmachen, ohne zu fragen",
  },
  requests: {
    heading: "Anfragen",
    note: "Fragen kann jeder, der den Link des Plans hat. Sag nur Leuten zu, die du kennst.",
    letIn: "Zusagen",
    letInWhom: (name) => `${name} zusagen`,
    decline: "Ablehnen",
    declineWhom: (name) => `${name} ablehnen`,
    isIn: (name) => `${name} ist dabei.`,
    declined: (name) => `Du hast ${name} abgelehnt. Du kannst später noch zusagen.`,
    earlier: "Abgelehnt",
    seat: {
      asks: (name) => `${name} fragt auf einem anderen Gerät nach dem eigenen Platz.`,
      note: (name) =>
        `Nicht sicher, ob es ${name} ist? Frag erst nach. Nur der Platz bei diesem Plan wird übertragen, das alte Gerät ist dann nicht mehr dabei.`,
      move: "Platz übertragen",
      moveWhose: (name) => `Platz von ${name} übertragen`,
      moved: (name) => `Der Platz von ${name} ist übertragen.`,
      ownHeading: "Bist du das auf einem anderen Gerät?",
      own: "Ein anderes Gerät fragt nach deinem Platz.",
      ownNote:
        "Wenn du Ja sagst, wird dein Platz bei diesem Plan dorthin übertragen, und dieses Gerät ist nicht mehr dabei. Willst du beide nutzen, erstell stattdessen unter „Ich“ einen persönlichen Link.",
      ownMove: "Ja, Platz übertragen",
      ownDecline: "Nein, das bin ich nicht",
      ownDeclined: "Dein Platz bleibt auf diesem Gerät.",
    },
  },
  move: {
    taken: (email) =>
      `Zu ${email} gibt es ein Konto. Melde dich dort an, dann ziehen deine Pläne von diesem Gerät mit um.`,
    signIn: "Anmelden und Pläne mitnehmen",
    heading: "Deine Pläne als Gast",
    moving: "Deine Pläne ziehen gerade um",
    ask: (email) =>
      `Du bist als ${email} angemeldet. Sollen die Pläne, Stimmen und Nachrichten, die du auf diesem Gerät als Gast hast, in dieses Konto umziehen? Das lässt sich nicht rückgängig machen.`,
    move: "Pläne mitnehmen",
    later: "Nicht jetzt",
    moved: (plans) =>
      plans === 0
        ? "Als Gast hattest du keine Pläne. Alles andere ist jetzt hier."
        : plural(plans, { one: "# Plan ist jetzt hier.", other: "# Pläne sind jetzt hier." }),
    used: "Vielleicht sind deine Pläne schon umgezogen. Fehlt einer, gib deine Adresse noch einmal auf dem Gerät an, auf dem du Gast warst.",
    show: "Meine Pläne zeigen",
  },
  keep: {
    host: "Sorg dafür, dass du zurückfindest",
    hostTitle: "So findest du zurück",
    hostText:
      "Du lädst nur mit deinem Namen ein. Deinen Plan kannst du deshalb nur auf diesem Gerät verwalten. Gib deine E-Mail-Adresse an oder sichere dir einen persönlichen Link.",
    leaveTitle: "Abmelden und Platz verlieren?",
    leaveText:
      "Du bist nur mit deinem Namen dabei. Wenn du dich abmeldest, kommst du nicht mehr an deine Pläne, außer du gibst vorher deine E-Mail-Adresse an oder sicherst dir einen persönlichen Link.",
    leave: "Abmelden",
    stay: "Angemeldet bleiben",
  },
  personal: {
    heading: "Persönlicher Link",
    text: "Er bringt dich zurück zu deinen Plänen, hier oder auf einem anderen Gerät. Er gilt eine Woche und nur einmal. Gib ihn nicht weiter: Wer ihn hat, kann in deinem Namen handeln.",
    account: "Auf einem anderen Gerät meldest du dich einfach dort an.",
    make: "Meinen Link erstellen",
    another: "Neuen Link erstellen",
    field: "Mein persönlicher Link",
    replaces: "Ein neuer Link ersetzt den alten.",
    revoke: "Meinen Link widerrufen",
    revoked:
      "Deine persönlichen Links gelten nicht mehr. Geräte, die du damit geöffnet hast, sind abgemeldet, nur dieses nicht.",
    until: (when) => `Gilt bis ${when}.`,
    offer: {
      name: "Ein anderes Gerät",
      ask: "Hast du noch ein Handy oder einen Computer?",
      open: "Auf anderem Gerät öffnen",
    },
    open: {
      title: "Dein Platz, auf diesem Gerät",
      text: "Mit diesem Link bist du hier derselbe Gast wie auf dem Gerät, auf dem du ihn erstellt hast.",
      go: "Weiter",
      replaces: (name) =>
        `Auf diesem Gerät ist ${name} angemeldet. Wenn du weitermachst, wird ${name} hier abgemeldet.`,
      replacesGuest: (name) =>
        `Auf diesem Gerät bist du der Gast ${name}. Wenn du weitermachst, verlierst du ihn endgültig, außer du hast eine E-Mail-Adresse hinterlegt.`,
      stay: "Abbrechen",
    },
  },
};
