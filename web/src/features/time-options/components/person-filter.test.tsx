// @vitest-environment jsdom
/** Choosing whose answers the board shows; it is drawn for the people, not for each vote. */
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { sampleMember, samplePlan } from "../../plans/sample-plan.ts";
import type { Plan } from "../../plans/schema.ts";
import { PersonFilter } from "./person-filter.tsx";

afterEach(cleanup);

const people = (...names: string[]) =>
  names.map((name) =>
    sampleMember(name, { profiles: { id: name, display_name: `${name} Costa`, avatar_path: null } as never }),
  );

function filter(members: ReturnType<typeof people>, only: string | null = null) {
  const onChange = vi.fn();
  render(
    <PersonFilter plan={samplePlan({ plan_members: members })} me="Ana" only={only} onChange={onChange} />,
  );
  return {
    user: userEvent.setup(),
    onChange,
    names: () => screen.getAllByRole("radio").map((one) => one.textContent),
  };
}

it("offers everybody but people who are not coming", () => {
  const [, , dev] = people("Ana", "Ben", "Dev");
  const { names } = filter([...people("Ana", "Ben"), { ...(dev ?? sampleMember("Dev")), rsvp: "declined" }]);
  expect(names().join()).toContain("Ben");
  expect(names().join()).not.toContain("Dev");
});

it("is not there for one person", () => {
  filter(people("Ana"));
  expect(document.body.textContent).toBe("");
});

it("goes back to the picked person, not to everybody, after another one was pointed at", async () => {
  const { user, onChange } = filter(people("Ana", "Ben", "Chiara"));
  await user.click(screen.getByRole("radio", { name: /Ben/ }));
  expect(onChange).toHaveBeenLastCalledWith("Ben");
  await user.hover(screen.getByRole("radio", { name: /Chiara/ }));
  expect(onChange).toHaveBeenLastCalledWith("Chiara");
  await user.unhover(screen.getByRole("radio", { name: /Chiara/ }));
  expect(onChange).toHaveBeenLastCalledWith("Ben");
});

/** Twenty people; whether they are required is read only to draw them, and counted. */
function table() {
  const drawn = { count: 0 };
  const plan_members = Array.from({ length: 20 }, (_, index) => {
    const member = sampleMember(`person ${index}`, { answered_at: null });
    return Object.defineProperty(member, "required", {
      get: () => {
        drawn.count += 1;
        return false;
      },
    });
  });
  const vote = (person: string, answer: "yes" | "no") => ({ user_id: person, answer });
  const time = (time_votes: Plan["time_options"][number]["time_votes"]) => ({
    id: "time",
    starts_at: "2026-11-27T19:00:00Z",
    ends_at: "2026-11-27T21:00:00Z",
    proposed_by: "person 0",
    time_votes,
  });
  const before = samplePlan({ plan_members, time_options: [time([vote("person 1", "yes")])] });
  return {
    drawn,
    before,
    changed: { ...before, time_options: [time([vote("person 1", "no")])] },
    added: { ...before, time_options: [time([vote("person 1", "no"), vote("person 2", "yes")])] },
  };
}

it("draws no person again when a vote changes, and the person who votes for the first time", () => {
  const { drawn, before, changed, added } = table();
  const onChange = () => {};
  const filter = (plan: Plan) => <PersonFilter plan={plan} me="person 0" only={null} onChange={onChange} />;
  const { rerender } = render(filter(before));
  const dashed = () =>
    screen.getAllByRole("radio").filter(({ className }) => className.includes("border-dashed"));
  expect(dashed()).toHaveLength(19);
  expect(drawn.count).toBeGreaterThan(0);
  drawn.count = 0;
  rerender(filter(changed));
  expect(drawn.count).toBe(0);
  rerender(filter(added));
  expect(dashed()).toHaveLength(18);
});
