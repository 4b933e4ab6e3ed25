/** Owns: the sheet with a host's settings for one person. The form is loaded when it is opened. */
import { lazy } from "react";
import { Sheet, type Trigger } from "../../../ui/sheet.tsx";
import { Part } from "../../plans/components/part.tsx";
import { firstName } from "../../plans/names.ts";
import type { Member, Plan } from "../../plans/schema.ts";

const PersonForm = lazy(async () => ({ default: (await import("./person-form.tsx")).PersonForm }));

export function PersonSheet({
  plan,
  member,
  me,
  trigger,
}: {
  plan: Plan;
  member: Member;
  me: string;
  trigger: Trigger;
}) {
  return (
    <Sheet title={firstName(plan, member.user_id)} trigger={trigger}>
      {(close) => (
        <Part>
          <PersonForm plan={plan} member={member} me={me} close={close} />
        </Part>
      )}
    </Sheet>
  );
}
