// @vitest-environment jsdom
/** Choosing the three answers, by pointer and by keyboard. */
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { AnswerToggle } from "./answer-toggle.tsx";

afterEach(cleanup);

const radio = (name: string) => screen.getByRole("radio", { name });

it("offers every answer, names what is answered, and shows the given one", () => {
  render(<AnswerToggle label="Fri 27 Nov, 19:30" value="if_need_be" disabled={false} onChange={() => {}} />);
  expect(screen.getByRole("radiogroup").getAttribute("aria-label")).toContain("Fri 27 Nov, 19:30");
  expect(screen.getAllByRole("radio").map((one) => one.textContent)).toEqual(["Yes", "If need be", "No"]);
  expect(radio("If need be").getAttribute("aria-checked")).toBe("true");
});

it("gives an answer, and clears it when it is pressed again", async () => {
  const onChange = vi.fn();
  const user = userEvent.setup();
  const { rerender } = render(<AnswerToggle label="x" value={null} disabled={false} onChange={onChange} />);
  await user.click(radio("No"));
  expect(onChange).toHaveBeenLastCalledWith("no");
  rerender(<AnswerToggle label="x" value="no" disabled={false} onChange={onChange} />);
  await user.click(radio("No"));
  expect(onChange).toHaveBeenLastCalledWith(null);
});

it("can be used by keyboard alone, and not while it is disabled", async () => {
  const onChange = vi.fn();
  const user = userEvent.setup();
  const { rerender } = render(<AnswerToggle label="x" value={null} disabled={false} onChange={onChange} />);
  await user.tab();
  await user.keyboard("{ArrowRight}{Enter}");
  expect(onChange).toHaveBeenLastCalledWith("if_need_be");
  onChange.mockClear();
  rerender(<AnswerToggle label="x" value={null} disabled={true} onChange={onChange} />);
  await user.click(radio("Yes"));
  expect(onChange).not.toHaveBeenCalled();
});
