/** Owns: the field for a password that a person makes up, with its rule. */
import { Field } from "../../../ui/fields/field.tsx";
import { sessionWords } from "../words.ts";

export function NewPasswordField(props: { label: string; value: string; onChange: (value: string) => void }) {
  const help = sessionWords().passwordRule;
  return (
    <Field type="password" autoComplete="new-password" minLength={8} isRequired help={help} {...props} />
  );
}
