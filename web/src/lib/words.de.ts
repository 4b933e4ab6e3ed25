/** Owns: the words for times and errors, in German. */
import { plural } from "./i18n/words.ts";
import type { ErrorWords, TimeWords } from "./words.ts";

export const time: TimeWords = {
  yours: (time) => `bei dir ${time}`,
  length: (hours, minutes) =>
    hours === 0
      ? `${minutes} Min.`
      : minutes % 30 === 0
        ? plural(hours + minutes / 60, { one: "# Stunde", other: "# Stunden" })
        : `${hours} Std. ${minutes} Min.`,
  now: "jetzt",
  inMinutes: (minutes) => `in ${minutes} Min.`,
  minutesAgo: (minutes) => `vor ${minutes} Min.`,
  inHours: (hours) => `in ${hours} Std.`,
  hoursAgo: (hours) => `vor ${hours} Std.`,
  tomorrow: "morgen",
  yesterday: "gestern",
  inDays: (days) => plural(days, { one: "in # Tag", other: "in # Tagen" }),
  daysAgo: (days) => plural(days, { one: "vor # Tag", other: "vor # Tagen" }),
  cities: {
    Athens: "Athen",
    Brussels: "Brüssel",
    Bucharest: "Bukarest",
    Cairo: "Kairo",
    Calcutta: "Kalkutta",
    Copenhagen: "Kopenhagen",
    Katmandu: "Kathmandu",
    Kiev: "Kyjiw",
    Lisbon: "Lissabon",
    Luxembourg: "Luxemburg",
    Moscow: "Moskau",
    Prague: "Prag",
    Rome: "Rom",
    Tokyo: "Tokio",
    Vienna: "Wien",
    Warsaw: "Warschau",
    Zurich: "Zürich",
  },
};

export const errors: ErrorWords = {
  offline: {
    message: "Nosh ist gerade nicht erreichbar.",
    hint: "Prüf deine Verbindung und versuch es gleich noch einmal.",
  },
  forbidden: {
    message: "Das darfst du hier nicht.",
    hint: "Frag die Person, die einlädt, oder melde dich mit einem anderen Konto an.",
  },
  duplicate: { message: "Das gibt es schon.", hint: "Lade neu, dann siehst du es." },
  invalid: {
    message: "Etwas an deiner Eingabe stimmt nicht.",
    hint: "Prüf sie und versuch es noch einmal.",
  },
  unreadablePicture: {
    message: "Wir können dieses Foto nicht lesen.",
    hint: "Nimm ein Foto als JPEG, PNG, WebP oder AVIF.",
  },
  unexpected: {
    message: "Bei uns ist etwas schiefgelaufen.",
    hint: "Versuch es noch einmal. Passiert es wieder, sag uns, wann.",
  },
  auth: {
    invalid_credentials: {
      message: "E-Mail-Adresse oder Passwort ist falsch.",
      hint: "Versuch es noch einmal oder melde dich mit einem Code an.",
    },
    mfa_verification_failed: {
      message: "Der Code ist falsch oder abgelaufen.",
      hint: "Gib den Code ein, den deine App jetzt zeigt.",
    },
    otp_expired: { message: "Der Code ist falsch oder abgelaufen.", hint: "Lass dir einen neuen schicken." },
    email_exists: { message: "Zu dieser Adresse gibt es schon ein Konto.", hint: "Melde dich damit an." },
    user_already_exists: {
      message: "Zu dieser Adresse gibt es schon ein Konto.",
      hint: "Melde dich damit an.",
    },
    weak_password: {
      message: "Das Passwort ist zu leicht zu erraten.",
      hint: "Nimm mindestens 8 Zeichen.",
    },
    over_email_send_rate_limit: {
      message: "Wir haben dir gerade erst eine E-Mail geschickt.",
      hint: "Warte eine Minute, bevor du eine neue anforderst.",
    },
    over_request_rate_limit: {
      message: "Zu viele Versuche.",
      hint: "Warte eine Minute und versuch es dann noch einmal.",
    },
    anonymous_provider_disabled: {
      message: "Gäste können sich hier nicht anmelden.",
      hint: "Melde dich mit einer E-Mail-Adresse an.",
    },
    email_address_invalid: {
      message: "An diese Adresse können wir nichts schicken.",
      hint: "Prüf sie auf Tippfehler.",
    },
  },
  refusals: {
    second_step_needed: {
      message: "Melde dich zuerst fertig an.",
      hint: "Gib den Code aus deiner Authenticator-App ein.",
    },
    needs_account: {
      message: "Gäste können das nicht.",
      hint: "Gib zuerst deine E-Mail-Adresse an. Du behältst alles.",
    },
    plan_not_found: {
      message: "Du bist nicht bei diesem Plan.",
      hint: "Bitte die Person, die einlädt, um einen Einladungslink.",
    },
    circle_not_found: {
      message: "Du bist nicht in diesem Kreis.",
      hint: "Bitte um einen Einladungslink.",
    },
    place_not_found: { message: "Diesen Ort gibt es nicht mehr.", hint: "Such dir einen anderen aus." },
    option_not_found: {
      message: "Das steht nicht mehr im Plan.",
      hint: "Sieh dir den Plan noch einmal an und stimm neu ab.",
    },
    person_not_found: {
      message: "Diese Person ist nicht mehr dabei.",
      hint: "Lade neu, dann siehst du, wer dabei ist.",
    },
    message_not_found: {
      message: "Diese Nachricht ist nicht von dir oder nicht mehr da.",
      hint: "Lade den Chat neu.",
    },
    not_host: {
      message: "Das kann nur, wer einlädt oder mit einlädt.",
      hint: "Frag die Person, die einlädt.",
    },
    no_seat_free: {
      message: "Für so viele ist kein Platz mehr frei.",
      hint: "Deine Antwort bleibt, wie sie war. Bitte die Person, die einlädt, um mehr Plätze.",
    },
    not_main_host: { message: "Das kann nur, wer einlädt.", hint: "Frag die Person, die einlädt." },
    removed_before: {
      message: "Du wurdest entfernt, deshalb gilt dieser Link für dich nicht mehr.",
      hint: "Bitte um einen neuen Einladungslink.",
    },
    not_circle_admin: {
      message: "Das können nur die Admins des Kreises.",
      hint: "Frag jemanden von ihnen.",
    },
    not_circle_owner: { message: "Das kann nur die Person, die Hauptadmin ist.", hint: "Bitte sie darum." },
    owner_cannot_leave: {
      message: "Als Hauptadmin kannst du den Kreis nicht verlassen.",
      hint: "Übergib den Kreis zuerst jemand anderem.",
    },
    host_cannot_leave: {
      message: "Du lädst ein und kannst den Plan deshalb nicht verlassen.",
      hint: "Sag den Plan ab oder übergib ihn zuerst jemand anderem.",
    },
    not_allowed_to_propose: {
      message: "In diesem Plan kann nur vorschlagen, wer einlädt.",
      hint: "Schreib es in den Chat.",
    },
    plan_not_polling: {
      message: "Die Abstimmung ist zu Ende.",
      hint: "Wer einlädt, kann sie wieder öffnen.",
    },
    plan_not_confirmed: {
      message: "Dieser Plan steht noch nicht fest.",
      hint: "Warte, bis ein Termin gewählt ist.",
    },
    plan_not_cancelled: {
      message: "Dieser Plan ist nicht abgesagt.",
      hint: "Es gibt nichts wiederherzustellen.",
    },
    plan_over: { message: "Dieser Plan ist vorbei.", hint: "Fang einen neuen an." },
    plan_not_done: {
      message: "Bewerten kannst du ein Essen, wenn es vorbei ist.",
      hint: "Komm nach dem Essen wieder.",
    },
    plan_cancelled: { message: "Dieser Plan ist abgesagt.", hint: "Wer einlädt, kann ihn wiederherstellen." },
    voting_closed: {
      message: "Die Frist zum Abstimmen ist vorbei.",
      hint: "Bitte die Person, die einlädt, sie zu verschieben.",
    },
    time_in_past: { message: "Dieser Termin ist schon vorbei.", hint: "Wähl einen, der noch kommt." },
    time_too_far: { message: "Dieser Termin ist erst in mehr als 180 Tagen.", hint: "Wähl einen früheren." },
    time_bad_length: {
      message: "Ein Essen dauert zwischen 15 Minuten und 12 Stunden.",
      hint: "Ändere, wann es endet.",
    },
    time_duplicate: { message: "Dieser Termin steht schon im Plan.", hint: "Stimm für ihn." },
    place_duplicate: { message: "Dieser Ort steht schon im Plan.", hint: "Stimm für ihn." },
    place_closed: {
      message: "Dort ist zu dieser Zeit geschlossen.",
      hint: "Wähl einen anderen Termin oder einen anderen Ort.",
    },
    unsafe_for_some: {
      message: "Dieser Ort ist nicht für alle, die kommen könnten, als sicher bestätigt.",
      hint: "Sieh nach, für wen nicht, frag im Restaurant nach und wähl dann noch einmal.",
    },
    place_source_unknown: {
      message: "Wir haben diesen Ort nicht in OpenStreetMap gefunden.",
      hint: "Such ihn noch einmal oder trag ihn selbst ein.",
    },
    deadline_in_past: {
      message: "Die Frist zum Abstimmen muss in der Zukunft liegen.",
      hint: "Wähl eine spätere.",
    },
    invite_not_found: {
      message: "Dieser Einladungslink funktioniert nicht.",
      hint: "Prüf, ob du ihn ganz kopiert hast.",
    },
    invite_expired: { message: "Dieser Einladungslink ist abgelaufen.", hint: "Bitte um einen neuen." },
    invite_used_up: {
      message: "Dieser Einladungslink ist aufgebraucht.",
      hint: "Bitte um einen neuen.",
    },
    invite_revoked: { message: "Dieser Einladungslink wurde widerrufen.", hint: "Bitte um einen neuen." },
    not_the_day: {
      message: "Die Ankunftstafel öffnet sechs Stunden vor dem Essen.",
      hint: "Komm an dem Tag wieder.",
    },
    place_is_shared: {
      message: "Andere können diesen Ort schon finden.",
      hint: "Füg dein Zuhause als neuen Ort hinzu.",
    },
    too_late_to_undo: {
      message: "Das lässt sich nicht mehr rückgängig machen.",
      hint: "Ändere Termin oder Ort, oder öffne die Abstimmung wieder.",
    },
    arrival_backwards: { message: "Du bist schon weiter.", hint: "Du musst nichts tun." },
    circle_full: {
      message: "Der Kreis ist voll. Er hat 50 Leute.",
      hint: "Gründe einen zweiten Kreis.",
    },
    plan_full: {
      message: "Der Plan ist voll. Er hat 20 Leute.",
      hint: "Bitte die Person, die einlädt, einen Platz frei zu machen.",
    },
    too_many_times: {
      message: "Ein Plan kann höchstens 30 Termine haben.",
      hint: "Entferne einen, den niemand will.",
    },
    too_many_places: {
      message: "Ein Plan kann höchstens 20 Orte haben.",
      hint: "Entferne einen, den niemand will.",
    },
    too_many_hours: {
      message: "Ein Ort kann höchstens 42 Öffnungszeiten in der Woche haben.",
      hint: "Fass Zeiten zusammen, die direkt aufeinander folgen.",
    },
    too_many_photos: { message: "Ein Plan kann höchstens 100 Fotos haben.", hint: "Entferne zuerst eins." },
    too_many_messages: {
      message: "Das waren mehr als 30 Nachrichten in einer Minute.",
      hint: "Warte einen Moment und versuch es dann noch einmal.",
    },
    too_many_new_places: {
      message: "Für heute kannst du keine weiteren Orte hinzufügen.",
      hint: "Mach morgen weiter.",
    },
    too_many_invites: {
      message: "Du hast 60 aktive Einladungslinks, mehr gehen nicht.",
      hint: "Widerruf einen, den niemand braucht.",
    },
    too_many_circles: {
      message: "Du bist Hauptadmin von 20 Kreisen, mehr gehen nicht.",
      hint: "Lösch einen oder übergib ihn jemand anderem.",
    },
    too_many_reactions: {
      message: "Das waren zu viele Reaktionen in einer Minute.",
      hint: "Warte einen Moment und versuch es dann noch einmal.",
    },
    nudged_today: {
      message: "Wer noch nicht abgestimmt hat, wurde heute schon erinnert.",
      hint: "Erinnere morgen wieder oder schreib in den Chat.",
    },
    nobody_to_nudge: { message: "Alle haben abgestimmt.", hint: "Du musst nichts tun." },
    push_bad_subscription: {
      message: "Wir konnten Mitteilungen in diesem Browser nicht einschalten.",
      hint: "Schalte Mitteilungen aus und wieder ein.",
    },
    too_many_push_devices: {
      message: "Du bekommst Mitteilungen auf 10 Geräten, mehr gehen nicht.",
      hint: "Schalte sie auf einem Gerät aus, das du nicht mehr benutzt.",
    },
    too_many_look_ups: {
      message: "Du hast in der letzten Stunde zu viele Adressen gesucht.",
      hint: "Versuch es später wieder.",
    },
    too_many_circle_places: {
      message: "Der Kreis hat schon 60 Orte, mehr gehen nicht.",
      hint: "Entferne einen, zu dem niemand mehr geht.",
    },
    too_many_calendars: {
      message: "Das waren zu viele Kalender in einer Stunde.",
      hint: "Versuch es später wieder oder nimm eine Datei.",
    },
    message_changed: {
      message: "Diese Nachricht hat sich geändert, seit du sie geöffnet hast.",
      hint: "Sieh dir beide Fassungen an und entscheide dann.",
    },
    not_a_guest: {
      message: "Das ist für Gäste.",
      hint: "Mit einem Konto brauchst du das nicht.",
    },
    too_many_confirmations: {
      message: "Das waren zu viele Bestätigungen für einen Tag.",
      hint: "Such die E-Mail, die wir geschickt haben, oder versuch es morgen wieder.",
    },
    confirmation_gone: {
      message: "Dieser Bestätigungslink funktioniert nicht mehr.",
      hint: "Gib deine E-Mail-Adresse beim Plan noch einmal an.",
    },
    too_many_names: {
      message: "Das waren heute zu viele Namen für eine Einladung.",
      hint: "Versuch es morgen noch einmal oder melde dich an.",
    },
    too_many_join_requests: {
      message: "Für heute kamen zu viele Anfragen von dir oder aus deinem Netz.",
      hint: "Bitte um einen Einladungslink oder versuch es morgen wieder.",
    },
    join_requests_full: {
      message: "20 Leute warten schon auf eine Antwort.",
      hint: "Bitte um einen Einladungslink.",
    },
    personal_link_gone: {
      message: "Dieser persönliche Link funktioniert nicht mehr.",
      hint: "Erstell einen neuen auf dem Gerät, auf dem du angemeldet bist.",
    },
    no_longer_guest: {
      message: "Diese Pläne gehören schon zu einem Konto.",
      hint: "Melde dich mit der Adresse dieses Kontos an.",
    },
    too_many_mails: {
      message: "Für heute kannst du keine weiteren Einladungen verschicken.",
      hint: "Teil stattdessen einen Link oder mach morgen weiter.",
    },
    mail_bad_address: {
      message: "Eine davon ist keine gültige E-Mail-Adresse.",
      hint: "Prüf sie auf Tippfehler.",
    },
    mail_link_gone: {
      message: "Dieser Link gehört zu keiner E-Mail von uns.",
      hint: "Nimm den Link am Ende der neuesten E-Mail.",
    },
    standing_not_found: {
      message: "Diesen Stammtisch gibt es nicht mehr.",
      hint: "Sieh im Kreis noch einmal nach.",
    },
    too_many_standing: {
      message: "Ein Kreis kann höchstens drei Stammtische haben.",
      hint: "Beende zuerst einen.",
    },
    choice_changed: {
      message: "Termin oder Ort hat gerade jemand anderes geändert.",
      hint: "Sieh dir an, was jetzt gilt, und entscheide dann.",
    },
    nothing_proposed: {
      message: "Es gibt keinen Vorschlag mehr, dem du widersprechen könntest.",
      hint: "Sieh im Plan nach, was daraus geworden ist.",
    },
    not_coming: {
      message: "Du hast abgesagt.",
      hint: "Sag zuerst zu, dann kannst du widersprechen.",
    },
    too_many_guest_plans: {
      message: "Ohne Konto kannst du zu höchstens drei Essen gleichzeitig einladen.",
      hint: "Ergänze unter „Ich“ deine E-Mail-Adresse, oder sag einen Plan ab.",
    },
    too_many_plans: {
      message: "Mit einem neuen Konto kannst du höchstens zehn Pläne am Tag anfangen.",
      hint: "Versuch es morgen wieder.",
    },
  },
};
