// @vitest-environment jsdom
/** Choosing whose answers the board shows. */
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { sampleMember, samplePlan } from "../../plans/sample-plan.ts";
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
