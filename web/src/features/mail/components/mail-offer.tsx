/** Owns: the offer to a guest who has answered to be told about the plan by mail, and what became of it. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useChange } from "../../../lib/change.ts";
import { Button } from "../../../ui/button.tsx";
import { EmailField } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { leaveAddress, removeLeftAddress } from "../mutations.ts";
import { mailQueries } from "../queries.ts";
import { mailWords } from "../words.ts";

export function MailOffer({ plan }: { plan: string }) {
  const words = mailWords().offer;
  const left = useQuery(mailQueries.left(plan));
  const [address, setAddress] = useState("");
  const key = mailQueries.left(plan).queryKey;
  const leave = useChange(() => leaveAddress(plan, address), key);
  const remove = useChange(() => removeLeftAddress(plan), key);
  if (left.data === undefined) return null;
  const error = leave.error ?? remove.error;
  return (
    <section aria-label={words.name} className="flex flex-col gap-2 border-t border-line pt-4">
      <p role="status" className="text-ink-soft">
        {left.data === null
          ? leave.data === "not_sent"
            ? words.notSent
            : ""
          : left.data.confirmed
            ? words.on(left.data.address)
            : words.asked(left.data.address)}
      </p>
      {left.data === null ? (
        <Form className="flex flex-wrap items-end gap-3" submit={() => leave.mutate()}>
          <div className="min-w-0 flex-1 basis-60">
            <EmailField label={words.address} value={address} onChange={setAddress} />
          </div>
          <Button type="submit" busy={leave.isPending}>
            {words.leave}
          </Button>
        </Form>
      ) : (
        <Button
          look="plain"
          className="-ml-2 self-start"
          busy={remove.isPending}
          onPress={() => remove.mutate(undefined, { onSuccess: () => leave.reset() })}
        >
          {left.data.confirmed ? words.stop : words.other}
        </Button>
      )}
      {error ? <ErrorNotice error={error} /> : null}
    </section>
  );
}
