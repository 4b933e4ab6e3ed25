/** Owns: a form of one line of text, with its rule. */
import { type ComponentProps, type ReactNode, useState } from "react";
import type * as z from "zod/mini";
import { problemWith } from "../../lib/rules.ts";
import { Field } from "./field.tsx";
import { Form, Submit } from "./form.tsx";

interface TextFormProps extends Pick<ComponentProps<typeof Submit>, "of"> {
  initial?: string;
  label: string;
  placeholder?: string;
  rule: z.ZodMiniType<string, string>;
  /** What the button says. */
  action: string;
  submit: (text: string) => void;
  /** Above the field. */
  children?: ReactNode;
}

export function TextForm({ initial = "", rule, action, of, submit, children, ...field }: TextFormProps) {
  const [text, setText] = useState(initial);
  const [asked, setAsked] = useState(false);
  return (
    <Form
      noValidate
      className="flex flex-col gap-4"
      submit={() => {
        setAsked(true);
        const good = rule.safeParse(text);
        if (good.success) submit(good.data);
      }}
    >
      {children}
      <Field
        {...field}
        value={text}
        onChange={setText}
        problem={asked ? problemWith(rule, text) : undefined}
        autoFocus
      />
      <Submit of={of}>{action}</Submit>
    </Form>
  );
}
