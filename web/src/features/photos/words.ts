/** Owns: the words of a plan's photos, in English. */
import { defineWords, number, plural } from "../../lib/i18n/words.ts";

export const photoWords = defineWords("photos", {
  photos: "Photos",
  loading: "photos",
  arrived: "A new photo came in.",
  shared: (count: number) =>
    plural(count, { one: "Your photo is on the wall.", other: "Your # photos are on the wall." }),
  empty: {
    title: "No photos yet",
    text: "The first plate is a good start. Where a picture was taken is never kept.",
  },
  add: "Add photos",
  count: (count: number, most: number) => `${number(count)} of ${number(most)}`,
  full: "A plan holds a hundred photos. Remove one to add another.",
  tooMany: (fit: number) =>
    plural(fit, {
      one: "Only # more photo fits on this wall.",
      other: "Only # more photos fit on this wall.",
    }),
  you: "you",
  gone: "Someone who left",
  by: (author: string) => `by ${author}`,
  aPhotoBy: (author: string) => `A photo by ${author}`,
  look: (photo: string) => `Look at: ${photo}`,
  missing: "This picture is gone.",
  upload: {
    label: "On the way to the wall",
    caption: "Caption",
    captionHint: "What are we looking at?",
    share: (count: number) => plural(count, { one: "Share it", other: "Share # photos" }),
    without: (file: string) => `Leave ${file} out`,
    notThis: "Not this one",
    waiting: "Waits its turn",
    preparing: "Is made smaller",
    sending: (percent: number) => `${percent} %`,
    done: "On the wall",
    retry: "Try again",
    progress: (file: string) => `How far ${file} is`,
  },
  viewer: {
    label: "Photos, large",
    close: "Close",
    previous: "Photo before",
    next: "Next photo",
    place: (at: number, of: number) => `${at} of ${of}`,
    byAt: (author: string, when: string) => `by ${author}, ${when}`,
    editCaption: "Change the caption",
    keepCaption: "Keep it",
    remove: "Remove",
    reallyRemove: "Remove for everyone?",
    yesRemove: "Yes, remove it",
    stay: "Leave it there",
  },
  problems: {
    notAPicture: {
      message: "That is not a picture we can show.",
      hint: "Choose a JPEG, PNG, WebP or AVIF picture.",
    },
    tooLarge: { message: "That file is larger than 50 MB.", hint: "Choose a smaller picture." },
  },
});

export type PhotoWords = ReturnType<typeof photoWords>;
