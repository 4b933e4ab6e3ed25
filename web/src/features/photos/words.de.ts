/** Owns: the words of a plan's photos, in German. */
import { number, plural } from "../../lib/i18n/words.ts";
import type { PhotoWords } from "./words.ts";

export const photos: PhotoWords = {
  photos: "Fotos",
  loading: "Fotos",
  arrived: "Ein neues Foto ist da.",
  shared: (count) => plural(count, { one: "Dein Foto hängt.", other: "Deine # Fotos hängen." }),
  empty: {
    title: "Noch keine Fotos",
    text: "Der erste Teller ist ein guter Anfang. Wo ein Bild entstanden ist, behalten wir nie.",
  },
  add: "Fotos dazu",
  count: (count, most) => `${number(count)} von ${number(most)}`,
  full: "Ein Plan fasst hundert Fotos. Nimm eines heraus, dann passt wieder eines.",
  tooMany: (fit) =>
    plural(fit, { one: "Hier passt nur noch # Foto hin.", other: "Hier passen nur noch # Fotos hin." }),
  you: "dir",
  gone: "jemandem, der nicht mehr da ist",
  by: (author) => `von ${author}`,
  aPhotoBy: (author) => `Ein Foto von ${author}`,
  look: (photo) => `Ansehen: ${photo}`,
  missing: "Dieses Bild ist weg.",
  upload: {
    label: "Auf dem Weg an die Wand",
    caption: "Bildunterschrift",
    captionHint: "Was sehen wir da?",
    share: (count) => plural(count, { one: "Teilen", other: "# Fotos teilen" }),
    without: (file) => `${file} weglassen`,
    notThis: "Dieses nicht",
    waiting: "Kommt gleich dran",
    preparing: "Wird verkleinert",
    sending: (percent) => `${percent} %`,
    done: "Hängt",
    retry: "Noch einmal",
    progress: (file) => `Wie weit ${file} ist`,
  },
  viewer: {
    label: "Fotos in groß",
    close: "Schließen",
    previous: "Foto davor",
    next: "Nächstes Foto",
    place: (at, of) => `${at} von ${of}`,
    byAt: (author, when) => `von ${author}, ${when}`,
    editCaption: "Unterschrift ändern",
    keepCaption: "Behalten",
    remove: "Herausnehmen",
    reallyRemove: "Für alle herausnehmen?",
    yesRemove: "Ja, herausnehmen",
    stay: "Hängen lassen",
  },
  problems: {
    notAPicture: {
      message: "Das ist kein Bild, das wir zeigen können.",
      hint: "Nimm ein Bild als JPEG, PNG, WebP oder AVIF.",
    },
    tooLarge: { message: "Die Datei hat mehr als 50 MB.", hint: "Nimm ein kleineres Bild." },
  },
};
