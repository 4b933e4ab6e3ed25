/** Owns: all German words in one piece, fetched before the first screen by whom German is spoken with. */
import * as circles from "../../features/circles/words.de.ts";
import * as mail from "../../features/mail/words.de.ts";
import * as notifications from "../../features/notifications/words.de.ts";
import * as people from "../../features/people/words.de.ts";
import * as security from "../../features/security/words.de.ts";
import * as lib from "../../lib/words.de.ts";
import * as ui from "../../ui/words.de.ts";
import * as me from "../words/me.de.ts";
import * as app from "../words.de.ts";

export const de = {
  ...lib,
  ...ui,
  ...app,
  ...circles,
  ...mail,
  ...me,
  ...notifications,
  ...people,
  ...security,
};
