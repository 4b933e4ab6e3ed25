/** Owns: turning two-step verification on and off. */
import { type UseMutationResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toAppError } from "../../../lib/errors.ts";
import { Button } from "../../../ui/button.tsx";
import { CodeField } from "../../../ui/fields/code-field.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { ErrorNotice, Loading } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { beginFactor, confirmFactor, removeFactor } from "../mutations.ts";
import { securityQueries } from "../queries.ts";
import { securityWords } from "../words.ts";

export function TwoFactor() {
  const words = securityWords().factor;
  const factor = useQuery(securityQueries.factor());
  return (
    <section aria-label={words.title} className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">{words.title}</h2>
      <Loaded query={factor} what={words.loading} shapes={["h-12"]}>
        {(data) =>
          data === null ? (
            <>
              <p className="text-ink-soft">{words.off}</p>
              <Sheet title={words.title} trigger={<Button className="self-start">{words.turnOn}</Button>}>
                {(close) => <TurnOn close={close} />}
              </Sheet>
            </>
          ) : (
            <>
              <p className="text-ink-soft">{words.on}</p>
              <Sheet
                title={words.turnOff}
                trigger={
                  <Button look="plain" className="self-start">
                    {words.turnOff}
                  </Button>
                }
              >
                {(close) => <TurnOff factorId={data ?? ""} close={close} />}
              </Sheet>
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function TurnOn({ close }: { close: () => void }) {
  const words = securityWords().factor;
  const queries = useQueryClient();
  const begun = useQuery({
    queryKey: ["second-factor", "enrolment"],
    queryFn: beginFactor,
    // One secret while the sheet is open: a new one would invalidate the scanned code.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const confirm = useMutation({
    mutationFn: (code: string) => confirmFactor(begun.data?.id ?? "", code),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ["second-factor"], exact: true });
    },
  });
  if (begun.isError) return <ErrorNotice error={begun.error} retry={() => void begun.refetch()} />;
  if (begun.isPending) {
    return <Loading what={words.loading} shapes={["mx-auto size-48"]} />;
  }
  return (
    <>
      <p className="text-ink-soft">{words.scan}</p>
      <img
        src={begun.data.picture}
        alt={words.picture}
        className="mx-auto size-48 rounded-s bg-[oklch(1_0_0)] p-2"
      />
      <Field
        label={words.key}
        value={begun.data.secret}
        isReadOnly
        inputClassName="numerals tracking-wider"
      />
      <Digits of={confirm} />
    </>
  );
}

function TurnOff({ factorId, close }: { factorId: string; close: () => void }) {
  const words = securityWords().factor;
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (code: string) => removeFactor(factorId, code),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries({ queryKey: ["second-factor"], exact: true });
    },
  });
  return (
    <>
      <p className="text-ink-soft">{words.turnOffText}</p>
      <Digits of={remove} />
    </>
  );
}

function Digits({
  of: { error, isPending, mutate },
}: {
  of: Pick<UseMutationResult<void, Error, string>, "error" | "isPending" | "mutate">;
}) {
  const words = securityWords().factor;
  const [code, setCode] = useState("");
  const wrong = error !== null && toAppError(error).code === "mfa_verification_failed";
  return (
    <Form
      noValidate
      className="flex flex-col gap-4"
      submit={() => {
        if (code.length === 6) mutate(code);
      }}
    >
      <CodeField
        label={words.digits}
        value={code}
        onChange={setCode}
        problem={wrong ? words.wrong : undefined}
      />
      {error && !wrong ? <ErrorNotice error={error} /> : null}
      <Button type="submit" look="action" busy={isPending} isDisabled={code.length !== 6}>
        {words.confirm}
      </Button>
    </Form>
  );
}
