/** Owns: writing a pending mail as text and as HTML. User input is escaped here and nowhere else. */
import { invitationOf, methodOf } from "../calendar/ics.ts";
import { escapeMarkup } from "../markup.ts";
import { type Letter, letterOf, type WaitingMail } from "./letters.ts";
import type { Mail } from "./mail.ts";
import { german } from "./mail_words_de.ts";
import { english, type MailWords } from "./mail_words_en.ts";

/** Kinds with a calendar entry: its UID is the plan's, so that calendars update or cancel theirs. */
const WITH_EVENT: readonly WaitingMail["kind"][] = [
  "plan_confirmed",
  "plan_moved",
  "plan_placed",
  "plan_changed",
  "plan_cancelled",
  "plan_restored",
];

/** Kinds whose words do not say when the plan is. */
const WITHOUT_DATE: readonly WaitingMail["kind"][] = [
  "invite",
  "join_asked",
  "vote_nudge",
  "plan_reopened",
  "plan_vetoed",
  "plan_undecided",
  "everybody_answered",
];

/** When the plan is, or which days are voted on; nothing while it has no times, or where the reader is asked for places alone. */
function dateLine(mail: WaitingMail, words: MailWords, when: (instant: string | null) => string): string[] {
  const { fixed, one, open } = words.date;
  if (mail.starts_at) return [fixed(when(mail.starts_at))];
  if (mail.first_starts_at === null || mail.question === "places") return [];
  const [first, last] = [when(mail.first_starts_at), when(mail.last_starts_at)];
  return [first === last ? one(first) : open(first, last)];
}

/**
 * The complete mail.
 * @param site the app's URL
 * @param functions the functions' URL, for one-click unsubscribing (RFC 8058)
 * @param sender who the calendar's entry is from
 */
export function write(
  mail: WaitingMail,
  site: string,
  functions: string,
  sender: { name: string; address: string },
  words: MailWords = mail.language === "de" ? german : english,
): Mail {
  const when = (instant: string | null) =>
    instant === null ? "" : formatTime(instant, mail.time_zone, mail.language);
  const letter = letterOf(mail, words, when);
  if (WITHOUT_DATE.includes(mail.kind)) letter.lines.push(...dateLine(mail, words, when));
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
      `${escapeMarkup(words.why)} <a href="${escapeMarkup(choice)}" style="color:#6d5a72">${escapeMarkup(words.stop)}</a>`,
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
              type: `text/calendar; charset=utf-8; method=${methodOf(mail.event)}`,
              text: invitationOf(mail.event, site, sender, mail.address),
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
    .map((line) => `<p style="margin:0 0 16px;font-size:16px;line-height:1.5">${escapeMarkup(line)}</p>`)
    .join("");
  return `<!doctype html>
<html lang="${language}">
  <body style="margin:0;padding:32px 16px;background:#f6f1e7;color:#33203a;font-family:Georgia,serif">
    <table role="presentation" align="center" width="100%" style="max-width:440px;background:#fffdf8;border:1px solid #e4d9c8;border-radius:12px">
      <tr><td style="padding:32px">
        <p style="margin:0 0 24px;font-size:20px"><strong>Nosh</strong></p>
        <h1 style="margin:0 0 12px;font-size:26px;font-weight:normal">${escapeMarkup(letter.heading)}</h1>
        ${paragraphs}
        <p style="margin:8px 0 24px"><a href="${escapeMarkup(address)}" style="display:inline-block;padding:12px 20px;background:#b5361d;color:#fffdf8;border-radius:6px;text-decoration:none">${escapeMarkup(letter.button)}</a></p>
        <p style="margin:0;font-size:14px;line-height:1.5;color:#6d5a72">${foot}</p>
      </td></tr>
    </table>
  </body>
</html>
`;
}
