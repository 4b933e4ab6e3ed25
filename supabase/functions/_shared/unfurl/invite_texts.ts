/**
 * Owns: the texts of the preview that chats show for an invite link or a plan's own address: title, description and the
 * lines of its picture, in the host's language. They contain only what `preview_invite` and `preview_plan` return to
 * signed-out callers.
 */

/** A row of `preview_invite`, or of `preview_plan` (an address), as a signed-out caller gets it. */
export interface InvitePreview {
  kind: "plan" | "circle" | "address";
  title: string;
  host_name: string | null;
  people: number;
  plan_state: "polling" | "confirmed" | "done" | "cancelled" | null;
  /** Start of the decided meal, ISO 8601. */
  starts_at: string | null;
  /** IANA zone of the plan. */
  time_zone: string | null;
  language: string | null;
}

export interface InviteTexts {
  language: "en" | "de";
  title: string;
  /** "Ana invites you"; of an address "Hosted by Ana" */
  invitation: string;
  /**
   * "Fri 27 Nov, 19:30", or the state of an undecided, past or cancelled plan. Null for a circle, and for an address
   * whose plan is ahead.
   */
  when: string | null;
  /** "5 people have joined" */
  people: string;
  /** All of the above except the title, for robots and screen readers. */
  description: string;
}

interface Words {
  invites(host: string): string;
  hosted(host: string): string;
  someone: string;
  open: string;
  over: string;
  cancelled: string;
  joined(people: number): string;
  members(people: number): string;
  locale: string;
}

/** The texts, by language. */
export const previewWords: Readonly<Record<InviteTexts["language"], Words>> = {
  en: {
    invites: (host) => `${host} invites you`,
    hosted: (host) => `Hosted by ${host}`,
    someone: "A friend",
    open: "When and where are still open",
    over: "This meal is over",
    cancelled: "This plan is cancelled",
    joined: (people) => (people === 1 ? "1 person has joined" : `${people} people have joined`),
    members: (people) => (people === 1 ? "A circle of 1 person" : `A circle of ${people} people`),
    locale: "en-GB",
  },
  de: {
    invites: (host) => `${host} lädt dich ein`,
    hosted: (host) => `Ein Plan von ${host}`,
    someone: "Jemand",
    open: "Wann und wo ist noch offen",
    over: "Dieses Essen ist vorbei",
    cancelled: "Dieser Plan ist abgesagt",
    joined: (people) => (people === 1 ? "1 Person ist dabei" : `${people} Leute sind dabei`),
    members: (people) => (people === 1 ? "Ein Kreis mit 1 Person" : `Ein Kreis mit ${people} Leuten`),
    locale: "de-DE",
  },
};

/** @throws TypeError for anything but a row of `preview_plan` */
export const addressPreviewOf = (row: unknown): InvitePreview =>
  invitePreviewOf({ ...(row as object | undefined), kind: "address" });

/** @throws TypeError for anything but a row of `preview_invite` */
export function invitePreviewOf(row: unknown): InvitePreview {
  const { kind, title, host_name, people, plan_state, starts_at, time_zone, language } = (row ??
    {}) as Partial<Record<string, unknown>>;
  if (!isKind(kind) || typeof title !== "string" || typeof people !== "number") {
    throw new TypeError("preview_invite gave no preview");
  }
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    kind,
    title,
    people,
    host_name: text(host_name),
    plan_state: text(plan_state) as InvitePreview["plan_state"],
    starts_at: text(starts_at),
    time_zone: text(time_zone),
    language: text(language),
  };
}

const isKind = (kind: unknown): kind is InvitePreview["kind"] =>
  kind === "plan" || kind === "circle" || kind === "address";

export function inviteTexts(preview: InvitePreview, words = previewWords): InviteTexts {
  const language = preview.language === "de" ? "de" : "en";
  const say = words[language];
  const host = preview.host_name || say.someone;
  const invitation = preview.kind === "address" ? say.hosted(host) : say.invites(host);
  const when = whenOf(preview, say);
  const people = preview.kind === "circle" ? say.members(preview.people) : say.joined(preview.people);
  const description = [invitation, when, people]
    .filter((part) => part !== null)
    .map((part) => `${part}.`)
    .join(" ");
  return { language, title: preview.title, invitation, when, people, description };
}

function whenOf({ kind, plan_state, starts_at, time_zone }: InvitePreview, say: Words): string | null {
  if (kind === "circle") return null;
  if (plan_state === "done") return say.over;
  if (plan_state === "cancelled") return say.cancelled;
  if (kind === "address") return null;
  if (plan_state !== "confirmed" || starts_at === null) return say.open;
  return new Intl.DateTimeFormat(say.locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: time_zone ?? "UTC",
  }).format(new Date(starts_at));
}
