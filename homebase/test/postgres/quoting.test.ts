/** Tests values that become part of SQL text. */
import { expect, test } from "vitest";
import { settingValue } from "../../src/postgres/quoting.ts";

test.each([
  ["search_path", '"$user", public, extensions', "'$user', 'public', 'extensions'"],
  ["search_path", 'a;drop/**/role/**/x, "It\'s ""one""" , B', `'a;drop/**/role/**/x', 'It''s "one"', 'b'`],
  ["search_path", '""', "''"],
  ["Search_Path", "", "''"],
  ["temp_tablespaces", 'x", y', `'x"', 'y'`],
  ["datestyle", "ISO, DMY", "'ISO, DMY'"],
  ["app.x", "a'; drop role x; --", "'a''; drop role x; --'"],
])("a stored setting is written as strings only: %s = %s", (name, stored, text) => {
  expect(settingValue(name, stored)).toBe(text);
});
