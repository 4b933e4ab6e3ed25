/** Owns: the form that names a circle, a new one or one that is there. */
import type { ComponentProps } from "react";
import { TextForm } from "../../../ui/fields/text-form.tsx";
import { circleName } from "../schema.ts";
import { circleWords } from "../words.ts";

export function CircleForm(
  props: Pick<ComponentProps<typeof TextForm>, "initial" | "action" | "of" | "submit">,
) {
  const words = circleWords();
  return <TextForm label={words.name} placeholder={words.namePlaceholder} rule={circleName} {...props} />;
}
