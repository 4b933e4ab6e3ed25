/** Owns: validation of a place's fields; SQL has the same rules. */
import * as z from "zod/mini";
import { isZone, text } from "../../lib/rules.ts";
import { dietList } from "../people/schema.ts";
import { problemOf, type Week } from "./hours.ts";
import { price } from "./schema.ts";
import { placeFormWords } from "./words/form.ts";

const week = z
  .custom<Week>((value) => Array.isArray(value))
  .check((context) => {
    const found = problemOf(context.value);
    if (!found) return;
    const words = placeFormWords().problems;
    context.issues.push({
      code: "custom",
      input: context.value,
      path: [found.weekday - 1],
      message: found.problem === "overlap" ? words.overlap : words.notATime,
    });
  });

/** The address of one's home. */
export const homeAddress = text({
  min: 1,
  max: 160,
  missing: () => placeFormWords().problems.addressMissing,
  long: () => placeFormWords().problems.addressLong,
});

/** Digits, with a + before and signs between them: SQL has the same two expressions. */
const PHONE = /^(\+?([ ()./-]*[0-9]){3,15}[ ()./-]*)?$/;
const WEB_PAGE = /^(https:\/\/[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]{1,5})?([/?#][!-~]*)?)?$/;

/** A text of one of these forms, or none. */
const formed = (form: RegExp, max: number, problem: () => string) =>
  z.string().check(
    z.trim(),
    z.refine((value) => value.length <= max && form.test(value), { error: problem }),
  );

/** Words the error when it is read, in the language active then. */
export const placeFormSchema = z.object({
  name: text({
    min: 1,
    max: 80,
    missing: () => placeFormWords().problems.nameMissing,
    long: () => placeFormWords().problems.nameLong,
  }),
  about: text({ min: 0, max: 280, long: () => placeFormWords().problems.aboutLong }),
  cuisines: z
    .array(
      text({
        min: 1,
        max: 40,
        long: () => placeFormWords().problems.cuisineLong,
      }),
    )
    .check(z.maxLength(6, { error: () => placeFormWords().problems.manyCuisines })),
  address: text({ min: 0, max: 160, long: () => placeFormWords().problems.addressLong }),
  latitude: z.nullable(z.number().check(z.minimum(-90), z.maximum(90))),
  longitude: z.nullable(z.number().check(z.minimum(-180), z.maximum(180))),
  price: z.nullable(price),
  safe_diets: dietList,
  time_zone: z.string().check(z.refine(isZone)),
  week,
  everybody: z.boolean(),
  phone: formed(PHONE, 40, () => placeFormWords().problems.phone),
  booking_url: formed(WEB_PAGE, 500, () => placeFormWords().problems.bookingPage),
});
export type PlaceFields = z.infer<typeof placeFormSchema>;
