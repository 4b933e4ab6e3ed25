/**
 * Owns: the text of Nosh's own mails, in both languages, as text and as HTML. User input is escaped here and
 * nowhere else.
 */
import { type CalendarEvent, calendarOf } from "../calendar/ics.ts";
import type { Mail } from "./mail.ts";

/** A pending mail, as `take_mail` returns it. */
export interface WaitingMail {
  id: string;
  address: string;
  kind:
    | "invite"
    | "vote_reminder"
    | "plan_tomorrow"
    | "rate_reminder"
    | "plan_confirmed"
    | "plan_reopened"
    | "plan_cancelled"
    | "plan_restored"
    | "plan_changed"
    | "vote_nudge"
    | "plan_proposed"
    | "plan_vetoed"
    | "plan_undecided";
  language: "en" | "de";
  /** The invite's token. */
  secret: string | null;
  /** The token for unsubscribing. */
  unsubscribe: string;
  plan_id: string;
  title: string;
  time_zone: string;
  vote_deadline: string | null;
  /** Until when people may object to a proposal. */
  veto_until: string | null;
  veto_reason: string;
  vetoed_by: string | null;
  /** Why the plan did not decide itself, as in plans.undecided. */
  undecided: string | null;
  starts_at: string | null;
  place: string | null;
  address_of_place: string | null;
  host: string | null;
  sender: string | null;
  people: number;
  /** The calendar entry of a plan with a time and a place. */
  event: CalendarEvent | null;
}

interface Letter {
  subject: string;
  heading: string;
  lines: string[];
  button: string;
  /** Path within the app. */
  leadsTo: string;
}

interface Words {
  someone: string;
  letter: Record<
    WaitingMail["kind"],
    (mail: WaitingMail, when: (instant: string | null) => string) => Letter
  >;
  /** The reason for the mail, and the text of the link to the mail settings. */
  why: string;
  stop: string;
  /** Why a plan did not decide itself. */
  undecided: Readonly<Record<string, string>>;
}

const english: Words = {
  someone: "Someone",
  letter: {
    invite: (mail) => ({
      subject: `${mail.sender ?? mail.host ?? "Someone"} invited you: ${mail.title}`,
      heading: mail.title,
      lines: [
        `${mail.sender ?? mail.host ?? "Someone"} would like to eat with you. ${mail.people === 1 ? "1 person has" : `${mail.people} people have`} joined so far.`,
        "Say when you can make it and where you'd like to go. A name is enough, no account needed.",
      ],
      button: "Join the plan",
      leadsTo: `/join/${mail.secret ?? ""}`,
    }),
    vote_reminder: (mail, when) => ({
      subject: `Don't forget to vote: ${mail.title}`,
      heading: `When can you make it?`,
      lines: [`Voting on “${mail.title}” closes ${when(mail.vote_deadline)}. You haven't voted yet.`],
      button: "Vote now",
      leadsTo: `/plans/${mail.plan_id}?tab=when`,
    }),
    plan_tomorrow: (mail, when) => ({
      subject: `Soon: ${mail.title}`,
      heading: mail.title,
      lines: [
        `${when(mail.starts_at)}, ${mail.place ?? ""}${mail.address_of_place ? `, ${mail.address_of_place}` : ""}.`,
        "If you can't make it after all, say so now. Someone else may be glad of the seat.",
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    rate_reminder: (mail) => ({
      subject: `How was ${mail.place ?? mail.title}?`,
      heading: `How was it?`,
      lines: [`Rate “${mail.title}” to help us suggest the next place.`],
      button: "Rate this plan",
      leadsTo: `/plans/${mail.plan_id}?tab=photos`,
    }),
    plan_confirmed: (mail, when) => ({
      subject: `It's on: ${mail.title}, ${when(mail.starts_at)}`,
      heading: mail.title,
      lines: [
        `${when(mail.starts_at)}, ${placeOf(mail)}.`,
        "The attached file adds it to your calendar, or updates the existing entry. Are you coming?",
      ],
      button: "Say whether you're coming",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_reopened: (mail) => ({
      subject: `Open again: ${mail.title}`,
      heading: mail.title,
      lines: ["Voting on the time and place is open again. We'll email you once they are decided."],
      button: "Go to the votes",
      leadsTo: `/plans/${mail.plan_id}?tab=when`,
    }),
    plan_cancelled: (mail) => ({
      subject: `Cancelled: ${mail.title}`,
      heading: mail.title,
      lines: [`${mail.host ?? "The host"} cancelled this plan.`],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_restored: (mail, when) => ({
      subject: `On again: ${mail.title}`,
      heading: mail.title,
      lines: [
        mail.event
          ? `The plan is on again: ${when(mail.starts_at)}, ${placeOf(mail)}.`
          : "The plan is on again. When and where are still open.",
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_changed: (mail, when) => ({
      subject: `Changed: ${mail.title}`,
      heading: mail.title,
      lines: [
        "The host changed the name or the note. The time and place are as before:",
        `${when(mail.starts_at)}, ${placeOf(mail)}.`,
        ...(mail.event?.note ? [`Note: ${mail.event.note}`] : []),
        "The attached file updates the entry in your calendar.",
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    vote_nudge: (mail, when) => ({
      subject: `When can you make it? ${mail.title}`,
      heading: "When can you make it?",
      lines: [
        `${mail.sender ?? mail.host ?? "The host"} is waiting for your vote on “${mail.title}”.${mail.vote_deadline ? ` Voting closes ${when(mail.vote_deadline)}.` : ""}`,
      ],
      button: "Vote now",
      leadsTo: `/plans/${mail.plan_id}?tab=when`,
    }),
    plan_proposed: (mail, when) => ({
      subject: `Proposed: ${mail.title}, ${when(mail.starts_at)}`,
      heading: mail.title,
      lines: [
        `${when(mail.starts_at)}, ${placeOf(mail)}.`,
        `This is the best match of your votes. It will be confirmed ${when(mail.veto_until)} unless someone objects.`,
      ],
      button: "View the proposal",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_vetoed: (mail) => ({
      subject: `Not confirmed: ${mail.title}`,
      heading: mail.title,
      lines: [
        `${mail.vetoed_by ?? "Someone"} objected to the proposal${mail.veto_reason ? `: “${mail.veto_reason}”` : "."}`,
        `${mail.host ?? "The host"} decides now.`,
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
    plan_undecided: (mail) => ({
      subject: `Please decide: ${mail.title}`,
      heading: mail.title,
      lines: [
        `The plan couldn't decide itself. ${english.undecided[mail.undecided ?? ""] ?? ""}`.trim(),
        "Choose a time and a place yourself, or move the deadline.",
      ],
      button: "Choose now",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
  },
  undecided: {
    nobody_voted: "Nobody voted before the deadline.",
    no_pair: "No time and place work together.",
    unsafe: "No place is confirmed safe for everyone who may come.",
    required_out: "Someone who has to be there can't make any of the times.",
    too_late: "The remaining times are too soon to ask everyone.",
    tie: "Two places are equally good.",
    closed: "The proposed place is closed at that time.",
    options_changed: "The options changed after the proposal.",
  },
  why: "You get this email because of a plan with your friends on Nosh.",
  stop: "Choose which emails you get",
};

const german: Words = {
  someone: "Jemand",
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
      heading: "Wann kannst du?",
      lines: [
        `Über „${mail.title}“ wird bis ${when(mail.vote_deadline)} abgestimmt. Deine Stimme fehlt noch.`,
      ],
      button: "Jetzt abstimmen",
      leadsTo: `/plans/${mail.plan_id}?tab=when`,
    }),
    plan_tomorrow: (mail, when) => ({
      subject: `Bald: ${mail.title}`,
      heading: mail.title,
      lines: [
        `${when(mail.starts_at)}, ${mail.place ?? ""}${mail.address_of_place ? `, ${mail.address_of_place}` : ""}.`,
        "Wenn du doch nicht kannst, sag bitte jetzt Bescheid. Vielleicht freut sich jemand über den Platz.",
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    rate_reminder: (mail) => ({
      subject: `Wie war ${mail.place ?? mail.title}?`,
      heading: "Wie war es?",
      lines: [`Bewerte „${mail.title}“, dann passt der nächste Vorschlag besser.`],
      button: "Bewerten",
      leadsTo: `/plans/${mail.plan_id}?tab=photos`,
    }),
    plan_confirmed: (mail, when) => ({
      subject: `Es steht fest: ${mail.title}, ${when(mail.starts_at)}`,
      heading: mail.title,
      lines: [
        `${when(mail.starts_at)}, ${placeOf(mail)}.`,
        "Die Datei im Anhang trägt den Termin in deinen Kalender ein oder verschiebt den vorhandenen Eintrag. Kommst du?",
      ],
      button: "Sag, ob du kommst",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_reopened: (mail) => ({
      subject: `Wieder offen: ${mail.title}`,
      heading: mail.title,
      lines: ["Zeit und Ort werden neu entschieden. Sobald sie feststehen, bekommst du eine E-Mail."],
      button: "Abstimmung ansehen",
      leadsTo: `/plans/${mail.plan_id}?tab=when`,
    }),
    plan_cancelled: (mail) => ({
      subject: `Abgesagt: ${mail.title}`,
      heading: mail.title,
      lines: [`${mail.host ?? "Wer eingeladen hat,"} hat den Plan abgesagt.`],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_restored: (mail, when) => ({
      subject: `Findet doch statt: ${mail.title}`,
      heading: mail.title,
      lines: [
        mail.event
          ? `Es bleibt dabei: ${when(mail.starts_at)}, ${placeOf(mail)}.`
          : "Der Plan gilt wieder. Zeit und Ort sind noch offen.",
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_changed: (mail, when) => ({
      subject: `Geändert: ${mail.title}`,
      heading: mail.title,
      lines: [
        "Der Name oder die Notiz ist neu. Zeit und Ort bleiben:",
        `${when(mail.starts_at)}, ${placeOf(mail)}.`,
        ...(mail.event?.note ? [`Notiz: ${mail.event.note}`] : []),
        "Die Datei im Anhang bringt den Eintrag in deinem Kalender auf den neuen Stand.",
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    vote_nudge: (mail, when) => ({
      subject: `Wann kannst du? ${mail.title}`,
      heading: "Wann kannst du?",
      lines: [
        `${mail.sender ?? mail.host ?? "Wer einlädt,"} wartet auf deine Stimme zu „${mail.title}“.${mail.vote_deadline ? ` Die Abstimmung endet ${when(mail.vote_deadline)}.` : ""}`,
      ],
      button: "Jetzt abstimmen",
      leadsTo: `/plans/${mail.plan_id}?tab=when`,
    }),
    plan_proposed: (mail, when) => ({
      subject: `Vorschlag: ${mail.title}, ${when(mail.starts_at)}`,
      heading: mail.title,
      lines: [
        `${when(mail.starts_at)}, ${placeOf(mail)}.`,
        `Das passt nach euren Stimmen am besten. Wenn niemand widerspricht, gilt es ab ${when(mail.veto_until)}.`,
      ],
      button: "Vorschlag ansehen",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_vetoed: (mail) => ({
      subject: `Doch noch offen: ${mail.title}`,
      heading: mail.title,
      lines: [
        `${mail.vetoed_by ?? "Jemand"} hat widersprochen${mail.veto_reason ? `: „${mail.veto_reason}“` : "."}`,
        mail.host ? `Jetzt entscheidet ${mail.host}.` : "Jetzt entscheidet, wer eingeladen hat.",
      ],
      button: "Plan ansehen",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
    plan_undecided: (mail) => ({
      subject: `Bitte entscheide: ${mail.title}`,
      heading: mail.title,
      lines: [
        `Eine Entscheidung von selbst war nicht möglich. ${german.undecided[mail.undecided ?? ""] ?? ""}`.trim(),
        "Wähl selbst Zeit und Ort, oder verschieb die Frist.",
      ],
      button: "Jetzt wählen",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
  },
  undecided: {
    nobody_voted: "Bis zur Frist hat niemand abgestimmt.",
    no_pair: "Kein Termin passt mit einem Ort zusammen.",
    unsafe: "Kein Ort ist für alle, die vielleicht kommen, als sicher bestätigt.",
    required_out: "Jemand, der dabei sein muss, kann an keinem der Termine.",
    too_late: "Die übrigen Termine sind zu bald, um noch alle zu fragen.",
    tie: "Zwei Orte sind gleich gut.",
    closed: "Der vorgeschlagene Ort hat dann geschlossen.",
    options_changed: "Nach dem Vorschlag wurden Termine oder Orte geändert.",
  },
  why: "Du bekommst diese E-Mail wegen eines Plans mit deinen Leuten bei Nosh.",
  stop: "Wähl, welche E-Mails du bekommst",
};

function placeOf(mail: WaitingMail): string {
  return [mail.place, mail.address_of_place].filter((part) => part).join(", ");
}

/** Kinds with a calendar entry: its UID is the plan's, so that calendars update or cancel theirs. */
const WITH_EVENT: readonly WaitingMail["kind"][] = [
  "plan_confirmed",
  "plan_changed",
  "plan_cancelled",
  "plan_restored",
];

/**
 * The complete mail.
 * @param site the app's URL
 * @param functions the functions' URL, for one-click unsubscribing (RFC 8058)
 */
export function write(mail: WaitingMail, site: string, functions: string): Mail {
  const words = mail.language === "de" ? german : english;
  const when = (instant: string | null) =>
    instant === null ? "" : formatTime(instant, mail.time_zone, mail.language);
  const letter = words.letter[mail.kind](mail, when);
  const address = `${site}${letter.leadsTo}`;
  const choice = `${site}/mail/${mail.unsubscribe}`;
  return {
    to: mail.address,
    subject: letter.subject.replace(/\s+/g, " "),
    text: [
      letter.heading,
      ...letter.lines,
      `${letter.button}: ${address}`,
      `-- \n${words.why} ${words.stop}: ${choice}`,
    ].join("\n\n"),
    html: page(
      letter,
      address,
      `${escapeHtml(words.why)} <a href="${escapeHtml(choice)}" style="color:#6d5a72">${escapeHtml(words.stop)}</a>`,
      mail.language,
    ),
    headers: {
      "List-Unsubscribe": `<${functions}/unsubscribe?token=${mail.unsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
    ...(mail.event && WITH_EVENT.includes(mail.kind)
      ? {
          attachments: [
            {
              name: "nosh.ics",
              type: "text/calendar; charset=utf-8; method=PUBLISH",
              text: calendarOf([mail.event], site, mail.title),
            },
          ],
        }
      : {}),
  };
}

function formatTime(instant: string, zone: string, language: "en" | "de"): string {
  return new Intl.DateTimeFormat(language === "de" ? "de-DE" : "en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: zone,
  }).format(new Date(instant));
}

function page(letter: Letter, address: string, foot: string, language: string): string {
  const paragraphs = letter.lines
    .map((line) => `<p style="margin:0 0 16px;font-size:16px;line-height:1.5">${escapeHtml(line)}</p>`)
    .join("");
  return `<!doctype html>
<html lang="${language}">
  <body style="margin:0;padding:32px 16px;background:#f6f1e7;color:#33203a;font-family:Georgia,serif">
    <table role="presentation" align="center" width="100%" style="max-width:440px;background:#fffdf8;border:1px solid #e4d9c8;border-radius:12px">
      <tr><td style="padding:32px">
        <p style="margin:0 0 24px;font-size:20px"><strong>Nosh</strong></p>
        <h1 style="margin:0 0 12px;font-size:26px;font-weight:normal">${escapeHtml(letter.heading)}</h1>
        ${paragraphs}
        <p style="margin:8px 0 24px"><a href="${escapeHtml(address)}" style="display:inline-block;padding:12px 20px;background:#b5361d;color:#fffdf8;border-radius:6px;text-decoration:none">${escapeHtml(letter.button)}</a></p>
        <p style="margin:0;font-size:14px;line-height:1.5;color:#6d5a72">${foot}</p>
      </td></tr>
    </table>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
