/** Owns: the choice of a table's number of seats. */
import { Select } from "../../../ui/fields/select.tsx";

const numbers = Array.from({ length: 19 }, (_, index) => index + 2);

/** @param least fewer seats than this are offered only if they are the present number */
export function SeatsChoice({
  words,
  value,
  least,
  onChange,
}: {
  words: { capacity: string; noCapacity: string; seats: (seats: number) => string };
  value: number | null;
  least: number;
  onChange: (seats: number | null) => void;
}) {
  const offered = numbers.filter((seats) => seats >= least || seats === value);
  return (
    <Select
      label={words.capacity}
      value={String(value ?? "")}
      options={[
        ["", words.noCapacity],
        ...offered.map((seats) => [String(seats), words.seats(seats)] as const),
      ]}
      onChange={(chosen) => onChange(chosen === "" ? null : Number(chosen))}
    />
  );
}
