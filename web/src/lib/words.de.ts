/** Owns: what times and errors are called, in German. */
import { plural } from "./i18n/words.ts";
import type { ErrorWords, TimeWords } from "./words.ts";

export const time: TimeWords = {
  yours: (time) => `bei dir ${time}`,
  length: (hours, minutes) =>
    hours === 0
      ? `${minutes} Min.`
      : minutes === 0
        ? `${hours} Std.`
        : `${hours} Std. ${String(minutes).padStart(2, "0")}`,
  now: "jetzt",
  inMinutes: (minutes) => `in ${minutes} Min.`,
  minutesAgo: (minutes) => `vor ${minutes} Min.`,
  inHours: (hours) => `in ${hours} Std.`,
  hoursAgo: (hours) => `vor ${hours} Std.`,
  tomorrow: "morgen",
  yesterday: "gestern",
  inDays: (days) => plural(days, { one: "in # Tag", other: "in # Tagen" }),
  daysAgo: (days) => plural(days, { one: "vor # Tag", other: "vor # Tagen" }),
};

export const errors: ErrorWords = {
  offline: {
    message: "Die Küche ist nicht zu erreichen.",
    hint: "Sieh nach deiner Verbindung. Was du geschrieben hast, bleibt da.",
  },
  forbidden: {
    message: "Das darfst du hier nicht.",
    hint: "Frag, wer einlädt, oder melde dich mit einem anderen Konto an.",
  },
  duplicate: { message: "Das gibt es schon.", hint: "Lade neu, dann siehst du es." },
  invalid: {
    message: "Etwas daran stimmt noch nicht.",
    hint: "Sieh noch einmal nach, was du eingegeben hast.",
  },
  unreadablePicture: {
    message: "Diese Datei ist kein Bild, das wir lesen können.",
    hint: "Nimm ein Bild als JPEG, PNG, WebP oder AVIF.",
  },
  unexpected: {
    message: "Das hat nicht geklappt, und es liegt nicht an dir.",
    hint: "Versuch es noch einmal. Bleibt es so, sag uns, wann es passiert ist.",
  },
  auth: {
    invalid_credentials: {
      message: "Diese Adresse und dieses Passwort gehören nicht zusammen.",
      hint: "Versuch es noch einmal oder lass dir einen Code schicken.",
    },
    mfa_verification_failed: {
      message: "Diese Ziffern stimmen nicht oder sind einen Moment zu alt.",
      hint: "Gib die ein, die die App jetzt zeigt.",
    },
    otp_expired: { message: "Der Code ist falsch oder zu alt.", hint: "Lass dir einen neuen schicken." },
    email_exists: { message: "Zu dieser Adresse gibt es schon ein Konto.", hint: "Melde dich damit an." },
    user_already_exists: {
      message: "Zu dieser Adresse gibt es schon ein Konto.",
      hint: "Melde dich damit an.",
    },
    weak_password: {
      message: "Das Passwort ist zu leicht zu erraten.",
      hint: "Nimm mindestens acht Zeichen.",
    },
    over_email_send_rate_limit: {
      message: "Gerade eben ging schon eine Mail hinaus.",
      hint: "Warte eine Minute, bevor du wieder fragst.",
    },
    over_request_rate_limit: {
      message: "Das waren viele Versuche in kurzer Zeit.",
      hint: "Warte eine Minute und versuch es dann noch einmal.",
    },
    anonymous_provider_disabled: {
      message: "Gäste kommen hier nicht herein.",
      hint: "Melde dich mit einer Mailadresse an.",
    },
    email_address_invalid: {
      message: "An diese Adresse können wir nichts schicken.",
      hint: "Sieh nach, ob sie richtig geschrieben ist.",
    },
  },
  refusals: {
    second_step_needed: {
      message: "Melde dich zuerst fertig an.",
      hint: "Gib den Code aus deiner Authenticator-App ein.",
    },
    needs_account: {
      message: "Gäste können das nicht.",
      hint: "Gib deinem Gastplatz zuerst eine Mailadresse; du behältst alles.",
    },
    plan_not_found: {
      message: "An deinem Tisch gibt es diesen Plan nicht.",
      hint: "Bitte, wer einlädt, um einen Einladungslink.",
    },
    circle_not_found: {
      message: "Diesen Kreis gibt es bei dir nicht.",
      hint: "Bitte jemanden, der ihn leitet, dich aufzunehmen.",
    },
    place_not_found: { message: "Diesen Ort gibt es nicht.", hint: "Such dir einen anderen aus." },
    option_not_found: {
      message: "Diese Möglichkeit steht nicht mehr im Plan.",
      hint: "Sieh dir an, was jetzt da steht, und antworte noch einmal.",
    },
    person_not_found: {
      message: "Diese Person ist nicht hier.",
      hint: "Lade neu, dann siehst du, wer da ist.",
    },
    message_not_found: {
      message: "Diese Nachricht ist nicht von dir oder nicht mehr da.",
      hint: "Lade das Gespräch neu.",
    },
    not_host: { message: "Das kann nur, wer einlädt oder mit einlädt.", hint: "Frag dort nach." },
    no_seat_free: {
      message: "Für so viele ist kein Platz mehr frei.",
      hint: "Deine Antwort bleibt, wie sie war. Bitte, wer einlädt, um mehr Plätze.",
    },
    not_main_host: { message: "Das kann nur, wer einlädt.", hint: "Frag dort nach." },
    removed_before: {
      message: "Du wurdest entfernt, deshalb gilt dieser Link für dich nicht mehr.",
      hint: "Bitte um einen neuen Einladungslink.",
    },
    not_circle_admin: {
      message: "Das kann nur, wer den Kreis leitet.",
      hint: "Frag jemanden, der ihn leitet.",
    },
    not_circle_owner: { message: "Das kann nur, wem der Kreis gehört.", hint: "Frag dort nach." },
    owner_cannot_leave: {
      message: "Wem der Kreis gehört, kann nicht gehen.",
      hint: "Übergib den Kreis zuerst jemand anderem.",
    },
    host_cannot_leave: {
      message: "Wer einlädt, kann nicht gehen.",
      hint: "Sag den Plan ab oder übergib ihn zuerst jemand anderem.",
    },
    not_allowed_to_propose: {
      message: "In diesem Plan schlägt nur vor, wer einlädt.",
      hint: "Schreib es in den Chat.",
    },
    plan_not_polling: {
      message: "Über diesen Plan wird nicht mehr abgestimmt.",
      hint: "Wer einlädt, kann ihn wieder öffnen.",
    },
    plan_not_confirmed: {
      message: "Dieser Plan steht noch nicht fest.",
      hint: "Warte, bis Zeit und Ort gewählt sind.",
    },
    plan_not_cancelled: { message: "Dieser Plan ist nicht abgesagt.", hint: "Es gibt nichts zurückzuholen." },
    plan_over: { message: "Dieser Plan ist vorbei.", hint: "Fang einen neuen an." },
    plan_not_done: {
      message: "Bewerten kannst du ein Essen, wenn es vorbei ist.",
      hint: "Komm nach dem Essen wieder.",
    },
    plan_cancelled: { message: "Dieser Plan ist abgesagt.", hint: "Wer einlädt, kann ihn zurückholen." },
    voting_closed: {
      message: "Die Frist zum Abstimmen ist vorbei.",
      hint: "Bitte, wer einlädt, sie zu verschieben.",
    },
    time_in_past: { message: "Diese Zeit ist schon vorbei.", hint: "Wähl eine, die noch kommt." },
    time_too_far: { message: "Diese Zeit liegt mehr als 180 Tage voraus.", hint: "Wähl eine frühere." },
    time_bad_length: {
      message: "Ein Essen dauert zwischen 15 Minuten und 12 Stunden.",
      hint: "Ändere, wann es endet.",
    },
    time_duplicate: { message: "Diese Zeit steht schon im Plan.", hint: "Stimm für sie." },
    place_duplicate: { message: "Dieser Ort steht schon im Plan.", hint: "Stimm für ihn." },
    place_closed: {
      message: "Dort ist zu dieser Zeit geschlossen.",
      hint: "Wähl eine andere Zeit oder einen anderen Ort.",
    },
    unsafe_for_some: {
      message: "Dieser Ort ist nicht für alle gesichert, die kommen könnten.",
      hint: "Sieh nach, für wen nicht, frag in der Küche nach und wähl dann noch einmal.",
    },
    place_source_unknown: {
      message: "Dieser Ort wurde in letzter Zeit nicht in OpenStreetMap gefunden.",
      hint: "Such ihn noch einmal oder trag ihn selbst ein.",
    },
    deadline_in_past: {
      message: "Die Frist zum Abstimmen muss in der Zukunft liegen.",
      hint: "Wähl eine spätere.",
    },
    invite_not_found: {
      message: "Diesen Einladungslink gibt es nicht.",
      hint: "Sieh nach, ob er ganz kopiert wurde.",
    },
    invite_expired: { message: "Dieser Einladungslink ist abgelaufen.", hint: "Bitte um einen neuen." },
    invite_used_up: {
      message: "Dieser Einladungslink wurde so oft benutzt, wie es geht.",
      hint: "Bitte um einen neuen.",
    },
    invite_revoked: { message: "Dieser Einladungslink wurde zurückgezogen.", hint: "Bitte um einen neuen." },
    not_the_day: {
      message: "Die Ankunftstafel öffnet sechs Stunden vor dem Essen.",
      hint: "Komm an dem Tag wieder.",
    },
    arrival_backwards: { message: "Du bist schon weiter.", hint: "Du musst nichts tun." },
    circle_full: {
      message: "In diesem Kreis sind fünfzig Leute, mehr gehen nicht.",
      hint: "Fang einen zweiten Kreis an.",
    },
    plan_full: {
      message: "An diesem Tisch sitzen zwanzig Leute, mehr gehen nicht.",
      hint: "Bitte, wer einlädt, einen Platz frei zu machen.",
    },
    too_many_times: {
      message: "Ein Plan fasst dreißig Zeiten.",
      hint: "Nimm eine heraus, die niemand will.",
    },
    too_many_places: {
      message: "Ein Plan fasst zwanzig Orte.",
      hint: "Nimm einen heraus, den niemand will.",
    },
    too_many_photos: { message: "Ein Plan fasst hundert Fotos.", hint: "Nimm zuerst eines heraus." },
    too_many_messages: {
      message: "Das waren mehr als dreißig Nachrichten in einer Minute.",
      hint: "Warte einen Moment. Was du geschrieben hast, bleibt da.",
    },
    too_many_new_places: {
      message: "Das sind mehr neue Orte, als ein Mensch am Tag einträgt.",
      hint: "Mach morgen weiter.",
    },
    too_many_invites: {
      message: "Sechzig Einladungslinks sind offen, mehr gehen nicht.",
      hint: "Zieh einen zurück, den niemand braucht.",
    },
    too_many_circles: {
      message: "Dir gehören zwanzig Kreise, mehr gehen nicht.",
      hint: "Lösch einen oder übergib ihn jemand anderem.",
    },
    too_many_reactions: {
      message: "Das waren viele Reaktionen in einer Minute.",
      hint: "Warte einen Moment.",
    },
    too_many_calendars: {
      message: "Das waren viele Kalender in einer Stunde.",
      hint: "Versuch es später wieder oder nimm eine Datei.",
    },
    message_changed: {
      message: "Diese Nachricht wurde inzwischen woanders geändert.",
      hint: "Was du geschrieben hast, bleibt da. Sieh dir die Nachricht an und entscheide dann.",
    },
    not_a_guest: {
      message: "Ein persönlicher Link ist für Gäste.",
      hint: "Melde dich auf dem anderen Gerät mit deiner Adresse an.",
    },
    personal_link_gone: {
      message: "Dieser persönliche Link geht nicht mehr.",
      hint: "Mach einen neuen auf dem Gerät, auf dem du drin bist.",
    },
    too_many_mails: {
      message: "Das sind mehr Einladungen per Mail, als ein Mensch am Tag verschickt.",
      hint: "Teil stattdessen den Link oder mach morgen weiter.",
    },
    mail_bad_address: {
      message: "Eine davon ist keine Mailadresse.",
      hint: "Sieh nach, ob sie richtig geschrieben sind.",
    },
    mail_link_gone: {
      message: "Dieser Link gehört zu keiner Mail von uns.",
      hint: "Nimm den Link am Ende der neuesten Mail.",
    },
    too_many_plans: {
      message: "Ein neues Konto kann zehn Pläne am Tag anfangen.",
      hint: "Versuch es morgen wieder.",
    },
  },
};
