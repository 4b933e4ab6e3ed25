// @vitest-environment jsdom
/** Adding a place by its name with Enter, before and after the search for it has ended. */
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ComponentProps, useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { NameField } from "./name-field.tsx";

afterEach(cleanup);

function Typed(given: Omit<ComponentProps<typeof NameField>, "value" | "onChange" | "taken">) {
  const [value, setValue] = useState("");
  return <NameField {...given} value={value} onChange={setValue} taken={["Momo Sete"]} />;
}

it("adds on Enter what no search finds, also when Enter is quicker than the search", async () => {
  const onAdd = vi.fn();
  const user = userEvent.setup();
  const { rerender } = render(<Typed onAdd={onAdd} unknown={undefined} />);
  await user.type(screen.getByRole("searchbox"), "Zzyzx Diner{Enter}");
  expect(onAdd).not.toHaveBeenCalled();
  rerender(<Typed onAdd={onAdd} unknown={true} />);
  expect(onAdd.mock.calls).toEqual([[{ name: "Zzyzx Diner" }]]);
  await user.type(screen.getByRole("searchbox"), "{Enter}");
  expect(onAdd).toHaveBeenCalledTimes(2);
});

it("adds nothing on Enter that is found, is there, or was typed on since", async () => {
  const onAdd = vi.fn();
  const user = userEvent.setup();
  const { rerender } = render(<Typed onAdd={onAdd} unknown={false} />);
  const field = screen.getByRole("searchbox");
  await user.type(field, "Momo{Enter}");
  rerender(<Typed onAdd={onAdd} unknown={true} />);
  await user.type(field, " SETE{Enter}");
  expect(screen.getByText("Momo Sete is on the plan.", { exact: false })).toBeTruthy();
  rerender(<Typed onAdd={onAdd} unknown={undefined} />);
  await user.type(field, "{Enter}, north");
  rerender(<Typed onAdd={onAdd} unknown={true} />);
  expect(onAdd).not.toHaveBeenCalled();
});
