/** Owns: forms, and leading the person to what is wrong in one that they tried to send. */
import type { UseMutationResult } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { Button } from "../button.tsx";
import { ErrorNotice } from "../notice.tsx";

interface FormProps extends Omit<ComponentProps<"form">, "onSubmit"> {
  submit: (form: HTMLFormElement) => void;
}

/** A form that the page itself sends. */
export function Form({ submit, ...props }: FormProps) {
  return (
    <form
      {...props}
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    />
  );
}

/** The button that sends a form, below the error of the last time. */
export function Submit({
  of: { isError, error, isPending },
  ...button
}: Pick<ComponentProps<typeof Button>, "children" | "isDisabled" | "className"> & {
  of: Pick<UseMutationResult, "isError" | "error" | "isPending">;
}) {
  return (
    <>
      {isError ? <ErrorNotice error={error} /> : null}
      <Button type="submit" look="action" busy={isPending} {...button} />
    </>
  );
}

/** Focuses the first field of the form that is marked as wrong, once the marks are drawn. */
export function focusFirstProblem(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
    // Centred, so that neither a sticky bar nor the navigation at the bottom covers it.
    field?.scrollIntoView({ block: "center" });
    field?.focus({ preventScroll: true });
  });
}
